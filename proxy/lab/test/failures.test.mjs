// What goes wrong ends with a status, one line that says where, and a capture that says it too.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { folder, runLab, runLibrary } from './support.mjs';

const SCENARIO = ['--scenario', 'load-save-release'];

test('an endless loop in a step is stopped, and the line says which step', async () => {
  const { status, lines } = await runLibrary(
    'return {}', 'function steps.save() while true do end end', ['--time-limit', '3'],
  );
  assert.equal(status, 1);
  assert.equal(lines.length, 1);
  assert.match(lines[0], /^dstap lab: mine: stopped after 3 s .* in step save, sample 1/);
});

test('an endless loop while a file loads is stopped, and the line says which file', async () => {
  const { status, lines } = await runLibrary('while true do end', '', ['--time-limit', '3']);
  assert.equal(status, 1);
  assert.match(lines[0], /stopped after 3 s .* in loading mine\/init\.luau/);
});

test('an error in a step fails the step with file and line, and other samples go on', async () => {
  const { status, lines, proxy } = await runLibrary('return {}', `
    local count = 0
    function steps.save()
      count += 1
      if count == 1 then
        local nothing
        nothing.field = 1
      end
    end`, ['--samples', '2']);
  assert.equal(status, 1);
  assert.equal(lines.length, 1);
  assert.match(lines[0], /step save, sample 1: libraries\/mine\/steps\.luau:\d+: attempt to index/);
  const ends = proxy.all('stepEnd');
  assert.equal(ends.filter(({ ok }) => !ok).length, 1);
  assert.match(ends[1].text, /steps\.luau:\d+: attempt to index nil with 'field'/);
  assert.equal(ends.length, 7);
});

test('an error that is a table is put into words', async () => {
  const { lines } = await runLibrary('return {}', 'function steps.save() error({}) end');
  assert.match(lines[0], /step save, sample 1: Error occurred, no output from Luau \(table\)/);
});

test('a step that never ends fails after its virtual time', async () => {
  const { status, lines } = await runLibrary(
    'return {}', 'function steps.save() coroutine.yield() end',
  );
  assert.equal(status, 1);
  assert.match(lines[0], /step save, sample 1: did not finish within 600 s/);
});

test('an unknown service is named as Roblox names it, with its place', async () => {
  const { status, lines, proxy } = await runLibrary(
    'local a = 1\nlocal service = game:GetService("TeleportingService")\nreturn {}',
  );
  assert.equal(status, 1);
  const text = "mine/init.luau:2: 'TeleportingService' is not a valid Service name";
  assert.deepEqual(lines, [
    `dstap lab: mine: asked for what the lab does not have: ${text}`,
    `dstap lab: mine: scenario load-save-release: ${text}`,
  ]);
  assert.ok(proxy.all('notice').some((notice) => notice.text.includes(text)));
});

test('what a library does without is said at the end, and the run is fine', async () => {
  const { status, lines } = await runLibrary(
    'pcall(function() return game.Nothing end)\nreturn {}',
  );
  assert.equal(status, 0);
  assert.deepEqual(lines, ['dstap lab: mine: asked for what the lab does not have: ' +
    'mine/init.luau:1: Nothing is not a valid member of DataModel "Game"']);
});

test('a missing module is named', async () => {
  const { status, lines, proxy } = await runLibrary('return require(script.Missing)');
  assert.equal(status, 1);
  assert.match(proxy.all('notice').at(-1).text, /The lab gave up: .*init\.luau:1: Missing is not/);
  assert.match(lines.at(-1), /mine\/init\.luau:1: Missing is not a valid member of ModuleScript/);
});

test('a file that is not Luau is named with its line, in the capture too', async () => {
  const { status, lines, proxy } = await runLibrary('local a = 1\nlocal = 2');
  assert.equal(status, 1);
  assert.equal(lines.length, 1);
  assert.match(lines[0], /mine\/init\.luau:2: Expected identifier/);
  assert.equal(proxy.all('sourceInfo').at(-1).library.name, 'mine');
  assert.match(proxy.all('notice').at(-1).text, /mine\/init\.luau:2: Expected identifier/);
});

test('an endless print is told once that it is too much', async () => {
  const { status, proxy } = await runLibrary(`
    for line = 1, 12000 do print(line) end
    print("\\27[31m")
    return {}`);
  assert.equal(status, 0);
  const texts = proxy.all('notice').map(({ text }) => text);
  assert.equal(texts.length, 10000);
  assert.equal(texts.at(-1), 'output: 10000 lines; what comes after them is left out');
});

test('control characters do not reach the terminal', async () => {
  const { lines } = await runLibrary('error("\\27[31mred")');
  assert.match(lines.at(-1), /\\x1b\[31mred/);
  assert.ok(!lines.join('').includes('\x1b'));
});

test('a library that eats all memory is stopped with one short line', async () => {
  const { status, lines } = await runLibrary(
    'local all = {}\nwhile true do table.insert(all, buffer.create(1000000)) end',
  );
  assert.equal(status, 1);
  assert.deepEqual(lines, [
    "dstap lab: mine: the VM's memory of 256 MiB is full (loading mine/init.luau)",
  ]);
});

test('unknown libraries, scenarios and options are wrong usage', async () => {
  const cases = [
    [['--library', 'nothing', ...SCENARIO], /unknown library "nothing"; known: .*datastore2/],
    [['--library', 'datastore2', '--scenario', 'nothing'],
      /unknown scenario "nothing"; known: .*load-save-release/],
    [['--library', 'datastore2=/no/such/folder', ...SCENARIO], /there is no such file or folder/],
    [['--library', 'datastore2', ...SCENARIO, '--fast'], /--fast: unknown option/],
    [['--library', 'datastore2', ...SCENARIO, '--samples', '0'], /from 1 to 10000/],
    [['--library', 'datastore2', ...SCENARIO, '--samples', '10001'], /from 1 to 10000/],
    [['--library', 'datastore2'], /--scenario is missing/],
    [[...SCENARIO], /--library is missing/],
  ];
  for (const [args, expected] of cases) {
    const { status, lines } = await runLab(args);
    assert.equal(status, 2, args.join(' '));
    assert.equal(lines.length, 1);
    assert.match(lines[0], expected);
  }
});

test('a path that is no module is wrong usage, and says so', async () => {
  const given = folder({ 'a.txt': '' });
  const { status, lines } = await runLab(['--library', `datastore2=${given}`, ...SCENARIO]);
  assert.equal(status, 2);
  assert.equal(lines.length, 1);
  assert.ok(lines[0].includes(`--library datastore2: ${given}: has no init`), lines[0]);
  assert.match(lines[0], /has no init\.luau or init\.lua/);
});

test('a proxy that hangs up ends the run', async () => {
  const { status, lines } = await runLibrary('return {}', `
    function steps.save(session)
      game:GetService("DataStoreService"):GetDataStore("A"):GetAsync("k")
    end`, [], (fake) => {
    fake.hangUpAtCall = true;
  });
  assert.equal(status, 1);
  assert.match(lines[0], /mine: the proxy hung up \(step save, sample 1\)/);
});

test('a library of one\'s own that lacks something is told what', async () => {
  const cases = [
    [{}, 2, /unknown library "mine"; .* put a wiring\.json and a steps\.luau into /],
    [{ 'wiring.json': '{}' }, 2, /wiring\.json: "module", the root module's name, is missing/],
    [{ 'wiring.json': '{"module":"M"}' }, 2, /steps\.luau: there is no such file beside wiring/],
    [{ 'wiring.json': '{"module":"M"}', 'steps.luau': 'return nil' }, 1,
      /libraries\/mine\/steps\.luau gives no table of functions/],
    [{ 'wiring.json': '{"module":"M"}', 'steps.luau': 'return { keys = print, load = 1 }' }, 1,
      /libraries\/mine\/steps\.luau gives no function "load"/],
  ];
  for (const [files, expected, text] of cases) {
    const root = folder({ 'init.luau': 'return {}', ...files });
    const { status, lines } = await runLab(['--library', `mine=${root}`, ...SCENARIO]);
    assert.equal(status, expected);
    assert.equal(lines.length, 1);
    assert.match(lines[0], text);
  }
});
