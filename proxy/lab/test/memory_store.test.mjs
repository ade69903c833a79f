// MemoryStoreService, and the fixed latencies of what is the lab's own.

import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { folder, libraryFolder, runLab, runLibrary } from './support.mjs';

const REFERENCE = ['--latency', 'reference'];
const SORTED = { get: 45, set: 46, update: 47, remove: 48, range: 49 };

// What a library prints while it loads, where each MemoryStore call takes 0.05 s.
async function printed(source) {
  const { proxy, lines } = await runLibrary(`
    local service = game:GetService("MemoryStoreService")
    local Up, Down = Enum.SortDirection.Ascending, Enum.SortDirection.Descending
    ${source}
    return {}`, '', REFERENCE);
  assert.deepEqual(lines, []);
  return proxy.all('notice').map(({ text }) => text);
}

// Two servers of one lab, each of which runs `source`; the second starts 1 s after the first.
function runServers(source, scenario = 'lab:wait(10)') {
  const file = path.join(folder({ 'own.luau': `local lab = ...
    local a = lab:server({ name = "a", role = "server" })
    lab:wait(1)
    local b = lab:server({ name = "b", role = "server" })
    ${scenario}` }), 'own.luau');
  return runLab(['--library', `mine=${libraryFolder(source)}`, '--scenario', file, ...REFERENCE]);
}

test('a sorted map keeps copies of what it is given, with sort keys', async () => {
  assert.deepEqual(await printed(`
    local map = service:GetSortedMap("m")
    local list = { 1, 2 }
    print(map:SetAsync("a", list, 60, 7))
    list[1] = "changed"
    local value, sortKey = map:GetAsync("a")
    print(value[1], #value, sortKey)
    value[1] = "changed"
    print(map:GetAsync("a")[1], map:GetAsync("b"))
    print(map:UpdateAsync("a", function(old, oldKey) return old[2] + 1, oldKey .. "x" end, 60))
    print(service:GetSortedMap("m"):GetAsync("a"))
    print(map:UpdateAsync("a", function() return nil end, 60))
    map:RemoveAsync("a")
    print(map:GetAsync("a"))`), [
    'true', '1 2 7', '1 nil nil', '3 7x', '3 7x', 'nil', 'nil nil',
  ]);
});

test('an item is there until the instant it expires, with 0 seconds not even once', async () => {
  assert.deepEqual(await printed(`
    local map = service:GetSortedMap("m")
    map:SetAsync("a", 1, 2)
    map:SetAsync("b", 1, 0)
    task.wait(1.85) -- Written 1.9 s ago, read 1.95 s ago.
    print(map:GetAsync("a"))
    print(map:GetAsync("a"))
    print(map:GetAsync("b"))`), ['1 nil', 'nil nil', 'nil nil']);
});

test('a range is in order of sort keys: numbers, strings, none; then of keys; bounds are exclusive',
  async () => {
    assert.deepEqual(await printed(`
      local map = service:GetSortedMap("m")
      map:SetAsync("d", 1, 60)
      map:SetAsync("c", 1, 60)
      map:SetAsync("x", 1, 60, "s")
      map:SetAsync("z", 1, 60, 10)
      map:SetAsync("b", 1, 60, 9)
      map:SetAsync("a", 1, 60, 9)
      local function show(...)
        local keys = {}
        for _, item in map:GetRangeAsync(...) do
          table.insert(keys, item.key .. tostring(item.sortKey or "") .. item.value)
        end
        print(table.concat(keys, " "))
      end
      show(Up, 200)
      show(Down, 2)
      show(Up, 3, { sortKey = 9 })
      show(Up, 3, { key = "a", sortKey = 9 }, { key = "c" })
      show(Up, 5, "c")
      show(Down, 5, nil, { sortKey = 10 })`), [
      'a91 b91 z101 xs1 c1 d1', 'd1 c1', 'z101 xs1 c1', 'b91 z101 xs1', 'd1', 'b91 a91',
    ]);
  });

test('a queue gives the highest priority first, hides what was read, and forgets what is removed',
  async () => {
    assert.deepEqual(await printed(`
      local queue = service:GetQueue("q", 5)
      queue:AddAsync("low", 60)
      queue:AddAsync("first", 60, 2)
      queue:AddAsync("second", 60, 2)
      queue:AddAsync("short", 1, 9)
      task.wait(1)
      local function read(...)
        local items, id = queue:ReadAsync(...)
        print(table.concat(items, " "), id)
        return id
      end
      print(#queue:ReadAsync(4, true, 0))
      local id = read(2, false, 0)
      read(5, false, 0)
      read(1, false, 0)
      queue:RemoveAsync(id)
      task.wait(5)
      read(5, false, 0)
      queue:RemoveAsync("1") -- Again, and too late: nothing happens.
      task.wait(5)
      read(5, false, 0)`), ['0', 'first second 1', 'low 2', ' nil', 'low 3', 'low 4']);
  });

test('a read of a queue looks every two seconds, and gives up after its timeout', async () => {
  assert.deepEqual(await printed(`
    local queue = service:GetQueue("q")
    task.delay(3, function() queue:AddAsync("a", 60) end)
    local began = os.clock()
    local items = queue:ReadAsync(1, false)
    print(items[1], string.format("%.2f", os.clock() - began))
    began = os.clock()
    print(#queue:ReadAsync(1, false, 3), string.format("%.2f", os.clock() - began))`),
  ['a 4.05', '0 3.00']);
});

test('a hash map lists its items in pages', async () => {
  assert.deepEqual(await printed(`
    local map = service:GetHashMap("m")
    for _, key in { "a", "b", "c" } do map:SetAsync(key, key .. "!", 60) end
    map:UpdateAsync("b", function(old) return old .. "!" end, 60)
    local pages = map:ListItemsAsync(2)
    while true do
      for _, item in pages:GetCurrentPage() do print(item.key, item.value) end
      if pages.IsFinished then break end
      pages:AdvanceToNextPageAsync()
    end
    map:RemoveAsync("a")
    print((map:GetAsync("a")), (service:GetSortedMap("m"):GetAsync("b")))`),
  ['a a!', 'b b!!', 'c c!', 'nil nil']);
});

test('each limit is kept, and one past it is refused without a call', async () => {
  const texts = await printed(`
    local map, queue = service:GetSortedMap("m"), service:GetQueue("q")
    local function try(method, ...) print((pcall(method, ...))) end
    try(service.GetSortedMap, service, string.rep("n", 128))
    try(service.GetSortedMap, service, string.rep("n", 129))
    try(map.SetAsync, map, string.rep("k", 128), 1, 60)
    try(map.SetAsync, map, string.rep("k", 129), 1, 60)
    try(map.SetAsync, map, "a", string.rep("v", 32766), 60)
    try(map.SetAsync, map, "a", string.rep("v", 32767), 60)
    try(map.SetAsync, map, "a", 1, 3888000)
    try(map.SetAsync, map, "a", 1, 3888001)
    try(map.SetAsync, map, "a", 1, -1)
    try(map.SetAsync, map, "a", 1, 60, string.rep("s", 128))
    try(map.SetAsync, map, "a", 1, 60, string.rep("s", 129))
    try(map.GetRangeAsync, map, Up, 200)
    try(map.GetRangeAsync, map, Up, 201)
    try(queue.ReadAsync, queue, 100, false, 0)
    try(queue.ReadAsync, queue, 101, false, 0)
    print(pcall(map.SetAsync, map, "a", print, 60))
    print(pcall(map.UpdateAsync, map, "b", function() task.wait() return 1 end, 60))
    print(pcall(map.UpdateAsync, map, "b", function() error("broken") end, 60))`);
  assert.deepEqual(texts.slice(0, 15), [
    'true', 'false', 'true', 'false', 'true', 'false', 'true', 'false', 'false', 'true', 'false',
    'true', 'false', 'true', 'false']);
  assert.match(texts[15], /^false InvalidRequest: .* cannot be stored\.$/);
  assert.equal(texts[16], 'false Callbacks cannot yield');
  assert.match(texts[17], /^false mine\/init\.luau:\d+: broken$/);
});

test('servers share the maps, an update that lost runs again, and the proxy hears of each run',
  async () => {
    const { proxy, lines } = await runServers(`
      local map = game:GetService("MemoryStoreService"):GetSortedMap("m")
      task.spawn(function()
        task.wait(2 - (os.time() - 1767225600)) -- Both at 2 s.
        map:UpdateAsync("count", function(old) return (old or 0) + 1 end, 60)
        task.wait(1)
        print(map:GetAsync("count"))
      end)
      return {}`);
    assert.deepEqual(lines, []);
    assert.deepEqual(proxy.all('notice').map(({ text }) => text), ['2 nil', '2 nil']);
    const updates = proxy.all('call').filter(({ method }) => method === SORTED.update);
    const store = { name: 'm', scope: '', kind: 4 };
    assert.deepEqual(updates.map(({ nowNs, key, store }) => [nowNs / 1e9, key, store]), [
      [2, 'count', store], [2, 'count', store],
    ]);
    const runs = proxy.all('transformResult').map(({ call, run, given, value }) =>
      [updates.findIndex(({ id }) => id === call), run, given, value]);
    assert.deepEqual(runs, [[0, 1, undefined, '1'], [1, 1, undefined, '1'], [1, 2, '1', '2']]);
    const ends = updates.map(({ id }) => proxy.all('ownReply').find(({ call }) => call === id));
    assert.equal(ends[0].nowNs / 1e9, 2.05);
    assert.ok(ends[1].nowNs > ends[0].nowNs);
    assert.deepEqual(ends.map(({ outcome, value }) => [outcome, value]), [[1, '1'], [1, '2']]);
  });

test('every call is told to the proxy with its arguments and its end', async () => {
  const { proxy } = await runLibrary(`
    local map = game:GetService("MemoryStoreService"):GetSortedMap("m")
    map:SetAsync("k", "v", 60)
    map:GetAsync("k")
    map:GetRangeAsync(Enum.SortDirection.Ascending, 5)
    map:UpdateAsync("k", function() return nil end, 60)
    map:RemoveAsync("k")
    return {}`, '', REFERENCE);
  const calls = proxy.all('call');
  assert.deepEqual(calls.map(({ method, key, value }) => [method, key, value]), [
    [SORTED.set, 'k', '"v"'], [SORTED.get, 'k', undefined], [SORTED.range, undefined, undefined],
    [SORTED.update, 'k', undefined], [SORTED.remove, 'k', undefined],
  ]);
  assert.equal(calls[0].caller, 'mine/init.luau');
  assert.deepEqual(proxy.all('ownReply').map(({ call, outcome, value, items, nowNs }, at) =>
    [call === calls[at].id, outcome, value, items?.length, (nowNs - calls[at].nowNs) / 1e9]), [
    [true, 1, undefined, 0, 0.05], [true, 1, '"v"', 0, 0.05],
    [true, 1, undefined, 1, 0.05], [true, 2, undefined, 0, 0.05],
    [true, 1, undefined, 0, 0.05],
  ]);
});

test('a server that dies never hears of its call, and nothing is written', async () => {
  const { proxy, lines } = await runServers(`
    local map = game:GetService("MemoryStoreService"):GetSortedMap("m")
    if os.time() == 1767225600 then
      task.delay(1.98, function() map:SetAsync("k", 1, 60) end)
    else
      task.delay(3, function() print(map:GetAsync("k")) end)
    end
    return {}`, 'lab:wait(1) lab:crash(a) lab:wait(5)');
  assert.deepEqual(lines, []);
  assert.equal(proxy.all('call').length, 2);
  assert.equal(proxy.all('ownReply').length, 1);
  assert.deepEqual(proxy.all('notice').map(({ text }) => text), ['nil nil']);
});

test('--latency reference fixes what subscriptions and messages take', async () => {
  const source = `
    local messages = game:GetService("MessagingService")
    task.spawn(function()
      for _ = 1, 3 do
        messages:SubscribeAsync("t", function() end)
      end
      messages:PublishAsync("t", 1)
    end)
    return {}`;
  const times = ({ proxy }) => proxy.all('messageEvent').map(({ nowNs }) => nowNs / 1e9);
  assert.deepEqual(times(await runLibrary(source, '', REFERENCE)), [0.1, 0.2, 0.3, 0.3,
    0.45, 0.45, 0.45]);
  const seeded = times(await runLibrary(source, '', ['--latency', 'default']));
  assert.ok(seeded.length > 0 && seeded[0] !== 0.1, `${seeded}`);
  const { status, lines } = await runLibrary(source, '', ['--latency', 'slow']);
  assert.equal(status, 2);
  assert.deepEqual(lines, ['dstap lab: --latency slow: must be default or reference']);
});
