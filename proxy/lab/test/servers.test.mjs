// Several servers in one lab, and how a server ends.

import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { folder, libraryFolder, runLab } from './support.mjs';

// Runs a scenario of the test's own over a library of its own.
function runScenario(scenario, library, steps = '', args = []) {
  const file = path.join(folder({ 'own.luau': `local lab = ...\n${scenario}` }), 'own.luau');
  return runLab(
    ['--library', `mine=${libraryFolder(library, steps)}`, '--scenario', file, ...args],
  );
}

const TWO_SERVERS = `
  local a = lab:server({ name = "a", role = "old server" })
  lab:wait(1)
  local b = lab:server({ name = "b", role = "new server" })
  lab:wait(2)`;

test('each server has its own clock, ids, globals and copy of the library', async () => {
  const { proxy, lines } = await runScenario(TWO_SERVERS, `
    shared.count = (shared.count or 0) + 1
    print(os.clock(), os.time(), shared.count)
    return {}`);
  assert.deepEqual(lines, []);
  assert.deepEqual(proxy.all('notice').map(({ source, text }) => [source, text]), [
    [1, '0 1767225600 1'],
    [2, '0 1767225601 1'],
  ]);
  const [a, b] = proxy.all('sourceInfo');
  assert.notEqual(a.jobId, b.jobId);
  assert.deepEqual([a.role, b.role], ['old server', 'new server']);
});

test('a message reaches every subscription, the own server included, each in its own time',
  async () => {
    const { proxy, lines } = await runScenario(TWO_SERVERS, `
      local messages = game:GetService("MessagingService")
      messages:SubscribeAsync("topic", function(message)
        print(message.Data.from == game.JobId, #message.Data.list, message.Sent)
      end)
      task.delay(1.5, function()
        messages:PublishAsync("topic", { from = game.JobId, list = { 1, 2 } })
      end)
      return {}`);
    assert.deepEqual(lines, []);
    const events = proxy.all('messageEvent');
    const kinds = (kind) => events.filter((event) => event.kind === kind);
    assert.equal(kinds(1).length, 2);
    assert.equal(kinds(2).length, 2);
    assert.ok(kinds(3).length >= 3, 'the second message may come after the end');
    for (const delivered of kinds(3)) {
      const sent = kinds(2).find(({ message }) => message === delivered.message);
      const seconds = (delivered.nowNs - sent.nowNs) / 1e9;
      assert.ok(seconds >= 0.03 && seconds <= 0.317, `${seconds}`);
    }
    const texts = proxy.all('notice').map(({ text }) => text);
    assert.ok(texts.some((text) => text.startsWith('true 2 ')));
    assert.ok(texts.some((text) => text.startsWith('false 2 ')));
  });

test('a message at the limit is sent and one byte more is refused', async () => {
  const { proxy, lines } = await runScenario(TWO_SERVERS, `
    local messages = game:GetService("MessagingService")
    messages:PublishAsync(string.rep("t", 80), string.rep("x", 1022))
    print(pcall(messages.PublishAsync, messages, "t", string.rep("x", 1023)))
    print(pcall(messages.PublishAsync, messages, string.rep("t", 81), "x"))
    return {}`);
  assert.deepEqual(lines, []);
  assert.equal(proxy.all('messageEvent').length, 2);
  assert.deepEqual(proxy.all('notice').slice(0, 2).map(({ text }) => text), [
    'false The message is 1025 bytes long, the limit is 1024.',
    'false The topic must be 1 to 80 characters long.',
  ]);
});

test('a server that crashes runs nothing more, and the proxy is told', async () => {
  const { proxy, lines } = await runScenario(`
    local server = lab:server({ name = "a", role = "server" })
    lab:wait(0.5)
    lab:crash(server)
    lab:wait(2)`, `
    game:GetService("RunService").Heartbeat:Connect(function() shared.beat = os.clock() end)
    task.delay(0.4, print, "before")
    task.delay(0.6, print, "after")
    task.spawn(function()
      task.wait(0.4)
      game:GetService("DataStoreService"):GetDataStore("A"):SetAsync("k", 1)
      print("answered")
    end)
    return {}`);
  assert.deepEqual(lines, []);
  assert.deepEqual(proxy.all('notice').map(({ text }) => text), ['before']);
  assert.deepEqual(proxy.all('serverGone').map(({ source, nowNs }) => [source, nowNs]),
    [[1, 500_000_000]]);
});

const SHUTDOWN = `
  local server = lab:server({ name = "a", role = "server" })
  local finished = lab:shutdown(server, "DeveloperUpdate")
  local other = lab:server({ name = finished and "in time" or "too late", role = "report" })`;

test('a shutdown runs all bound functions at once and waits for the last', async () => {
  const { proxy, lines } = await runScenario(SHUTDOWN, `
    game:BindToClose(function(reason) task.wait(1) print(reason, os.clock()) end)
    game:BindToClose(function() task.wait(29.9) print(os.clock()) end)
    game:BindToClose(function() error("broken", 0) end)
    return {}`);
  assert.deepEqual(lines, []);
  assert.deepEqual(proxy.all('notice').map(({ text }) => text),
    ['broken', 'Enum.CloseReason.DeveloperUpdate 1', '29.9']);
  assert.equal(proxy.all('sourceInfo')[1].name, 'in time');
});

test('a shutdown ends after 30 s whatever the bound functions do', async () => {
  const { proxy } = await runScenario(SHUTDOWN, `
    game:BindToClose(function() task.wait(30.1) print("never") end)
    return {}`);
  assert.deepEqual(proxy.all('notice'), []);
  const [, late] = proxy.all('sourceInfo');
  assert.equal(late.name, 'too late');
  assert.equal(late.nowNs, 30_000_000_000);
});

test('scenarios run one after the other in one capture', async () => {
  const root = libraryFolder('return {}');
  const { proxy, status } = await runLab(['--library', `mine=${root}`, '--samples', '1',
    '--scenario', 'load-save-release', 'load-save-release']);
  assert.equal(status, 0);
  assert.equal(proxy.all('hello').length, 1);
  assert.equal(proxy.all('sourceInfo').length, 2);
  const keys = new Set(proxy.all('stepBegin').map(({ about }) => about[0].key));
  assert.equal(keys.size, 2);
  const ids = proxy.all('stepBegin').map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
});

test('a run in which nothing can happen any more ends and says so', async () => {
  const { status, lines } = await runScenario(
    'lab:server({ name = "a", role = "server" }) coroutine.yield()', 'return {}',
  );
  assert.equal(status, 1);
  assert.match(lines[0], /mine: nothing is left that could ever happen/);
});

test('a step waits for writes of its own server, and for none from before it', async () => {
  const { proxy, lines } = await runScenario(`${TWO_SERVERS}
    local profile = lab:profile()
    for index, server in { a, b, a } do
      lab:step(server, 1, "write-" .. index, profile, function(steps)
        return steps.writeLater(profile)
      end)
    end`, 'return {}', `
    function steps.writeLater(profile)
      local store = game:GetService("DataStoreService"):GetDataStore(profile.store)
      task.delay(1, function() store:SetAsync(profile.userId, game.JobId) end)
      return { lab.untilWritten(profile) }
    end`);
  assert.deepEqual(lines, []);
  const begins = proxy.all('stepBegin');
  assert.equal(begins.length, 3);
  proxy.all('stepEnd').forEach((end, index) => {
    assert.equal(end.observed, '[true]');
    const seconds = (end.nowNs - begins[index].nowNs) / 1e9;
    assert.ok(seconds >= 1.2 && seconds < 1.23, `${seconds}`);
  });
});

test('what is forked runs beside the rest, and joining it waits and passes its error on',
  async () => {
    const { proxy, lines } = await runScenario(`${TWO_SERVERS}
      local ends = {}
      local join = lab:fork(function() lab:wait(1) table.insert(ends, "forked") end)
      table.insert(ends, "main")
      join()
      join()
      table.insert(ends, "joined")
      local failing = lab:fork(function() error("broken", 0) end)
      table.insert(ends, select(2, pcall(failing)))
      lab:server({ name = table.concat(ends, " "), role = "report" })`, 'return {}');
    assert.deepEqual(lines, []);
    assert.equal(proxy.all('sourceInfo').at(-1).name, 'main forked joined broken');
  });

test('random numbers of a scenario are in their bounds and of the seed', async () => {
  const draw = async (seed) => {
    const { proxy } = await runScenario(`
      local parts = {}
      for index = 1, 50 do
        local number = lab:random(2, 3)
        assert(number >= 2 and number < 3)
        parts[index] = tostring(number)
      end
      lab:server({ name = table.concat(parts, " "), role = "report" })`, 'return {}', '',
    ['--seed', seed]);
    return proxy.all('sourceInfo')[0].name;
  };
  const [first, again, other] = await Promise.all([draw('1'), draw('1'), draw('2')]);
  assert.equal(first, again);
  assert.notEqual(first, other);
  assert.equal(new Set(first.split(' ')).size, 50);
});

test('work between steps belongs to none, and is a line when it fails', async () => {
  const { proxy, lines, status } = await runScenario(`${TWO_SERVERS}
    local profile = lab:profile()
    local fine = lab:run(a, 3, profile, function(steps, globals)
      globals.print(globals.game.JobId ~= "")
    end)
    local broken = lab:run(a, 3, profile, function() error("broken", 0) end)
    lab:server({ name = tostring(fine) .. tostring(broken), role = "report" })`, 'return {}');
  assert.equal(status, 1);
  const text = 'scenario own, sample 3, between steps: broken';
  assert.deepEqual(lines, [`dstap lab: mine: ${text}`]);
  assert.deepEqual(proxy.all('stepBegin'), []);
  assert.deepEqual(proxy.all('notice').map((notice) => notice.text), ['true', text]);
  assert.equal(proxy.all('sourceInfo').at(-1).name, 'truefalse');
});

test('a step that may fail is failed in the capture and no failure of the run', async () => {
  const { proxy, lines, status } = await runScenario(`${TWO_SERVERS}
    local function fail() error("refused", 0) end
    lab:step(a, 1, "hop", lab:profile(), fail, { mayFail = true })`, 'return {}');
  assert.deepEqual(lines, []);
  assert.equal(status, 0);
  const [end] = proxy.all('stepEnd');
  assert.deepEqual([end.ok, end.text], [false, 'refused']);
});

test('a scenario learns that a library noticed its profile being taken', async () => {
  const { proxy, lines } = await runScenario(`${TWO_SERVERS}
    local profile = lab:profile()
    lab:run(a, 1, profile, function(steps) steps.notice(profile) end)
    lab:server({
      name = tostring(lab:taken(a, profile)) .. " " .. tostring(lab:taken(b, profile)),
      role = "report",
    })`, 'return {}', 'function steps.notice(profile) lab.taken(profile, "a signal") end');
  assert.deepEqual(lines, []);
  assert.equal(proxy.all('sourceInfo').at(-1).name, 'a signal nil');
  assert.deepEqual(proxy.all('notice').map(({ source, kind, text }) => [source, kind, text]),
    [[1, 2, 'The profile of user 100001 was taken: a signal']]);
});

test('waiting for a write a second time waits for the next one', async () => {
  const { proxy, lines } = await runScenario(`${TWO_SERVERS}
    local profile = lab:profile()
    lab:step(a, 1, "write-twice", profile, function(steps) return steps.twice(profile) end)`,
  'return {}', `
    function steps.twice(profile)
      local store = game:GetService("DataStoreService"):GetDataStore(profile.store)
      local times = {}
      task.spawn(function()
        for _ = 1, 2 do store:SetAsync(profile.userId, 1) end
      end)
      for index = 1, 2 do
        lab.untilWritten(profile)
        times[index] = os.clock()
      end
      return times[2] - times[1] > 0.19
    end`);
  assert.deepEqual(lines, []);
  assert.equal(proxy.all('stepEnd')[0].observed, 'true');
});

test('a profile whose key is empty is its whole store', async () => {
  const { proxy, lines } = await runScenario(`${TWO_SERVERS}
    local profile = lab:profile()
    lab:step(a, 1, "write", profile, function(steps) return steps.write(profile) end)`,
  'return {}', `
    function steps.keys(profile)
      return { { store = profile.store, scope = "global", key = "" } }
    end
    function steps.write(profile)
      local service = game:GetService("DataStoreService")
      task.spawn(function()
        service:GetDataStore("Other"):SetAsync("any", 1)
        service:GetDataStore(profile.store):SetAsync("any", 1)
      end)
      lab.untilWritten(profile)
    end`);
  assert.deepEqual(lines, []);
  const [begin, end] = [...proxy.all('stepBegin'), ...proxy.all('stepEnd')];
  const seconds = (end.nowNs - begin.nowNs) / 1e9;
  assert.ok(seconds >= 0.4 && seconds < 0.43, `${seconds}: a write takes 0.2 s`);
});

test('a wrong call of lab:step is named with the scenario\'s line', async () => {
  const wrong = [
    ['lab:step(a, -1, "load", nil, print)', /:\d+: lab:step: sample is -1, and must be a whole/],
    ['lab:step(a, "x", "load", nil, print)', /lab:step: sample is x/],
    ['lab:step(a, 1, "Upper case", nil, print)', /a step's name is made of small letters/],
    ['lab:step(a, 1, "load", nil)', /step load has no function/],
  ];
  for (const [call, says] of wrong) {
    const { status, lines } = await runScenario(`${TWO_SERVERS}\n${call}`, 'return {}', '');
    assert.equal(status, 1, call);
    assert.match(lines.at(-1), says);
    assert.ok(!lines.at(-1).includes('lab/scenarios.luau'), lines.at(-1));
  }
});
