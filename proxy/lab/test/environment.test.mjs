// What a library sees of Roblox.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printed, runLibrary } from './support.mjs';

test('a server starts with its clock at 0 and the date of the recording', async () => {
  assert.deepEqual(await printed(`
    print(os.clock(), time(), os.time(), os.date("!%Y-%m-%d"), os.date("%H:%M"))
    print(DateTime.now():ToIsoDate(), DateTime.now().UnixTimestampMillis)
    task.wait(1.5)
    print(os.clock(), os.time(), os.time({ year = 2026, month = 1, day = 1, hour = 0 }))
    print(tick())`), [
    '0 0 1767225600 2026-01-01 00:00',
    '2026-01-01T00:00:00.000Z 1767225600000',
    '1.5 1767225601 1767225600',
    '1767225601.5',
  ]);
});

test('typeof and type name the objects of Roblox', async () => {
  assert.deepEqual(await printed(`
    print(typeof(game), type(game), typeof(script), typeof(Enum.SortDirection.Ascending))
    print(typeof(Enum), typeof(Enum.SortDirection), typeof(DateTime.now()), typeof(nil))
    print(typeof(game:GetService("RunService").Heartbeat), typeof(Random.new(1)))
    print(typeof(Instance.new("BindableEvent").Event:Connect(print)), tostring(game))
    print(Enum.DataStoreRequestType.StandardRead.Value, Enum.SortDirection.Descending)`), [
    'Instance userdata Instance EnumItem',
    'Enums Enum DateTime nil',
    'RBXScriptSignal Random',
    'RBXScriptConnection Game',
    '9 Enum.SortDirection.Descending',
  ]);
});

test('members that are not there are named as Roblox names them', async () => {
  assert.deepEqual(await printed(`
    local function try(f) print(select(2, pcall(f))) end
    try(function() return Enum.Nothing end)
    try(function() return Enum.SortDirection.Sideways end)
    try(function() return Instance.new("Nothing") end)
    try(function() game.JobId = "x" end)
    try(function() return script:Nothing() end)`).then((lines) =>
    lines.filter((line) => !line.startsWith('The lab has no answer'))), [
    'mine/init.luau:3: Nothing is not a valid member of "Enum"',
    'mine/init.luau:4: Sideways is not a valid member of "Enum.SortDirection"',
    'mine/init.luau:5: Unable to create an Instance of type "Nothing"',
    'mine/init.luau:6: Unable to assign property JobId. Property is read only',
    'mine/init.luau:7: Nothing is not a valid member of ModuleScript "ServerScriptService.Library"',
  ]);
});

test('spawn runs at once, defer after the running thread, events after that', async () => {
  assert.deepEqual(await printed(`
    local event = Instance.new("BindableEvent")
    event.Event:Connect(function(value) print("event", value) end)
    event.Event:Once(function() print("once") end)
    task.defer(print, "deferred")
    event:Fire(1)
    event:Fire(2)
    task.spawn(print, "spawned")
    print("here")
    task.wait()
    local thread = task.delay(0.1, print, "never")
    task.cancel(thread)
    local waiting = task.spawn(function() task.wait(0.1) print("never") end)
    task.cancel(waiting)
    task.wait(1)
    print(coroutine.status(waiting), pcall(task.cancel, coroutine.running()))`), [
    'spawned', 'here', 'deferred', 'event 1', 'once', 'event 2',
    'dead false cannot cancel thread',
  ]);
});

test('modules are found by instance and by path, load once, and may not require in a circle',
  async () => {
    const { status, lines } = await runLibrary(`
      local folder = Instance.new("Folder")
      assert(not pcall(require, folder))
      assert(select(2, pcall(require, script)):find("recursively"))
      assert(select(2, pcall(require, "./Nothing")):find("no module at this path"))
      assert(require == getfenv().require and script.Parent.Name == "ServerScriptService")
      return {}`);
    assert.deepEqual(lines, []);
    assert.equal(status, 0);
  });

test('nothing that a library can reach leads out of its environment', async () => {
  assert.deepEqual(await printed(`
    local mine = getfenv()
    print(getfenv(0) == mine, getfenv(1) == mine, getfenv(print) == mine)
    print((pcall(setfenv, print, {})), pcall(setfenv, 0, {}))
    local found = {}
    for level = 1, 60 do
      local f = debug.info(level, "f")
      if not f then break end
      local env = getfenv(f)
      if env.labAsk or env.labTrace or rawget(env, "need") then table.insert(found, level) end
    end
    print(#found, labAsk, labTrace, getmetatable(game), load, io)
    print(pcall(function() string.len = nil end))
    print(_G ~= nil, next(_G), next(shared))`), [
    'true true true',
    "false false 'setfenv' cannot change environment of given object",
    '0 nil nil The metatable is locked nil nil',
    'false mine/init.luau:13: attempt to modify a readonly table',
    'true nil nil',
  ]);
});

test('a server that prints bytes that are not UTF-8 prints those bytes', async () => {
  assert.deepEqual(await printed('print("a\\255b")'), [{ hex: '61ff62' }]);
});

test('random numbers come from the seed', async () => {
  const source = `
    print(math.random(), math.random(6), math.random(10, 20), Random.new():NextInteger(1, 1e6))
    print(Random.new(5):NextNumber(), game:GetService("HttpService"):GenerateGUID(false))`;
  assert.deepEqual(await printed(source), await printed(source));
});

test('a budget is asked for again when the answer says so, and after a call', async () => {
  const { proxy, stderr } = await runLibrary(`
    local service = game:GetService("DataStoreService")
    local read = Enum.DataStoreRequestType.StandardRead
    local function look(seconds)
      task.wait(seconds - os.clock())
      service:GetRequestBudgetForRequestType(read)
    end
    look(0.1)
    look(0.5)
    look(0.9) -- The last frame before one second.
    look(1.0)
    look(1.5)
    service:GetDataStore("Store"):GetAsync("k")
    look(1.6)
    look(1.7)
    return {}`, '', [], (fake) => {
    fake.budgetHoldsUntil = (now) => (Math.floor(now / 1e9) + 1) * 1e9;
  });
  assert.equal(stderr, '');
  assert.deepEqual(proxy.all('budgetQuery').map(({ nowNs }) => nowNs / 1e9), [0.1, 1, 1.6]);
});

test('budgets are asked once an instant, and again after a call', async () => {
  const { proxy, lines } = await runLibrary(`
    local service = game:GetService("DataStoreService")
    local read = Enum.DataStoreRequestType.StandardRead
    local store = service:GetDataStore("A")
    assert(store == service:GetDataStore("A", "global"))
    assert(store ~= service:GetDataStore("A", "other"))
    assert(service:GetRequestBudgetForRequestType(read) == 120)
    service:GetRequestBudgetForRequestType(read)
    task.spawn(function() store:GetAsync("k") end)
    service:GetRequestBudgetForRequestType(read)
    service:SetRateLimitForRequestType(read, 10, 5)
    task.wait()
    service:GetRequestBudgetForRequestType(read)
    return {}`);
  assert.deepEqual(lines, []);
  assert.equal(proxy.all('openStore').length, 2);
  assert.equal(proxy.all('budgetQuery').length, 3);
  assert.deepEqual(proxy.all('budgetQuery').map(({ type }) => type), [10, 10, 10]);
  const kinds = proxy.frames.map(({ kind }) => kind);
  assert.ok(kinds.indexOf('call') < kinds.lastIndexOf('budgetQuery'), 'the call went out first');
  assert.deepEqual(
    proxy.all('setRateLimit').map((each) => [each.basePerMinute, each.perPlayerPerMinute]),
    [[10, 5]],
  );
});

test('values, key info and errors of the store reach the script as they are', async () => {
  const source = `
    local store = game:GetService("DataStoreService"):GetDataStore("A")
    print(store:GetAsync("k"))
    print(store:SetAsync("k", { list = {}, n = 0.1 }))
    local value, info = store:GetAsync("k")
    print(#value.list, value.n, info.CreatedTime, info.Version, #info:GetUserIds())
    local new, after = store:UpdateAsync("k", function(old, oldInfo)
      old.list = "changed"
      return { was = oldInfo.Version }, { 12 }, { tag = "x" }
    end)
    print(new.was == info.Version, after.Version ~= info.Version)
    print(store:UpdateAsync("k", function() return nil end))
    print(pcall(store.UpdateAsync, store, "k", function() task.wait() end))
    print(pcall(store.UpdateAsync, store, "k", function() return "\\255" end))
    print(pcall(store.SetAsync, store, "k", { print }))
    print(pcall(store.GetAsync, store, "bad"))
    print(pcall(store.GetAsync, store))`;
  const { proxy, lines } = await runLibrary(`${source}\nreturn {}`, '', [], (fake) => {
    fake.failing = ({ key }) => (key === 'bad' ? '502: no' : undefined);
  });
  assert.deepEqual(lines, []);
  const stored = '104: Cannot store %s in data store. Data stores can only accept valid UTF-8 ' +
    'characters.';
  assert.deepEqual(proxy.all('notice').filter(({ kind }) => kind === 2).map(({ text }) => text), [
    'nil nil',
    'v250000000',
    '0 0.1 1 v250000000 0',
    'true true',
    'nil nil',
    'false Callbacks cannot yield',
    `false ${stored.replace('%s', 'string')}`,
    `false ${stored.replace('%s', 'Array')}`,
    'false 502: no',
    'false Argument 1 missing or nil',
  ]);
  const [result] = proxy.all('transformResult');
  assert.deepEqual(result.userIds, [12]);
  assert.equal(result.metadata, '{"tag":"x"}');
  assert.equal(proxy.all('call').find(({ method }) => method === 2).value, '{"list":[],"n":0.1}');
});

test('a transform that raises is told to the proxy and printed as a script error', async () => {
  const { proxy } = await runLibrary(`
    local store = game:GetService("DataStoreService"):GetDataStore("A")
    print(store:UpdateAsync("k", function() error("broken") end))
    return {}`);
  const [result] = proxy.all('transformResult');
  assert.equal(result.outcome, 3);
  assert.equal(result.error, 'mine/init.luau:3: broken');
  assert.deepEqual(proxy.all('notice').map(({ kind, text }) => [kind, text]), [
    [4, 'mine/init.luau:3: broken'],
    [2, 'nil nil'],
  ]);
});

test('an instant that sent something with a query ends the grant', async () => {
  const { proxy, lines } = await runLibrary(`
    local service = game:GetService("DataStoreService")
    local store = service:GetDataStore("A")
    task.spawn(function() print(store:GetAsync("k")) end)
    for _ = 1, 5 do
      service:GetRequestBudgetForRequestType("StandardRead")
      task.wait()
    end
    return {}`);
  assert.deepEqual(lines, []);
  let queried;
  for (const { kind, nowNs } of proxy.frames) {
    assert.ok(queried === undefined || queried === nowNs, `time moved on to ${nowNs}`);
    if (kind === 'budgetQuery') {
      queried = nowNs;
    } else if (kind === 'idle') {
      queried = undefined;
    }
  }
});

test('a value of three megabytes goes into the VM and out of it', async () => {
  assert.deepEqual(await printed(`
    local store = game:GetService("DataStoreService"):GetDataStore("Big")
    local value = string.rep("é𝄞", 500000)
    store:SetAsync("key", value)
    print(store:GetAsync("key") == value)
  `), ['true']);
});

test('what the lab lacks of Roblox is named when it is used, and old names are there', async () => {
  const { proxy, lines } = await runLibrary(`
    print((pcall(version)), (select(2, pcall(loadstring, "return 1"))))
    print((select(2, pcall(function() return SecurityCapabilities.new() end))))
    print((select(2, pcall(function() return Content("x") end))))
    print(type(settings), type(UserSettings), type(stats))
    print(collectgarbage("count") > 0, (pcall(collectgarbage, "collect")))
    print(Wait == wait, Spawn == spawn, Delay == delay)
    return {}`);
  const printed = proxy.all('notice').filter(({ kind }) => kind === 2).map(({ text }) => text);
  assert.equal(printed[0].split(' ')[0], 'false');
  assert.match(printed[0], /loadstring\(\) is not available/);
  assert.match(printed[1], /new is not a valid member of SecurityCapabilities/);
  assert.match(printed[2], /attempt to call a table value/);
  assert.deepEqual(printed.slice(3),
    ['function function function', 'true false', 'true true true']);
  const end = lines.join('\n');
  for (const name of ['version\\(\\)', 'loadstring\\(\\)', 'SecurityCapabilities', 'Content']) {
    assert.match(end, new RegExp(`does not have: .*${name}`));
  }
});
