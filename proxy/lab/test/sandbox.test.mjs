// A library's source cannot reach the machine, and is told what the lab does not have.

import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { printed, runLibrary } from './support.mjs';
import { temporaryFolder } from './temporary.mjs';

// Expressions that give something, or statements that come through, only where there is a way out.
const WAYS_OUT = [
  // Files, processes, the shell.
  'return io', 'return io.open("FILE", "w")', 'return os.execute',
  'return os.execute("touch FILE")',
  'return os.getenv', 'return os.remove', 'return os.rename', 'return os.exit', 'return os.tmpname',
  'return package', 'return dofile', 'return loadfile', 'return readfile', 'return writefile',
  // Source that did not come with the library.
  'return loadstring("return 1")', 'return load', 'return string.dump',
  'return require("FILE")', 'return require("fs")', 'return require("node:fs")',
  'return require("/etc/passwd")', 'return require("./package.json")',
  'return require("../../../../../etc/passwd")', 'return require("@self/../../../main")',
  'return require({})', 'return require(1)',
  // JavaScript.
  'return globalThis', 'return window', 'return global', 'return process', 'return module',
  'return fetch', 'return WebAssembly', 'return eval', 'return Function', 'return js',
  'return labAsk', 'return labTrace', 'return need',
  'return game.constructor', 'return game.__proto__', 'return game.prototype',
  'return script.constructor', 'return Enum.constructor', 'return Enum.__proto__',
  'return task.constructor', 'return string.constructor', 'return ("").constructor',
  'return ("").__proto__', 'return print.constructor', 'return require.constructor',
  'return DateTime.now().constructor', 'return Random.new(1).__proto__',
  'return game:GetService("RunService").Heartbeat.constructor',
  'return game:GetService("MemoryStoreService"):GetSortedMap("m").constructor',
  // Other environments and what belongs to the VM.
  'return debug.getregistry', 'return debug.getupvalue', 'return debug.setupvalue',
  'return debug.getlocal', 'return debug.sethook', 'return debug.setmetatable',
  'return debug.getmetatable',
  'return getfenv(print) ~= getfenv() or nil', 'return getfenv(require) ~= getfenv() or nil',
  'return getfenv(game.GetService) ~= getfenv() or nil',
  'return coroutine.wrap(getfenv)(0) ~= getfenv() or nil',
  'local e task.spawn(function() e = getfenv(0) end) return e ~= getfenv() or nil',
  'local ok = pcall(setfenv, game.GetService, {}) return ok or nil',
  'local ok = pcall(setfenv, require, {}) return ok or nil',
  'local ok = pcall(setfenv, 0, {}) return ok or nil',
  'getmetatable("").__index = {} return true', 'getmetatable(game).__index = {} return true',
  'setmetatable(string, {}) return true', 'string.format = nil return true',
  'rawset(table, "insert", print) return true', 'rawset(task, "wait", print) return true',
  'table.clear(math) return true',
  // The network.
  'return game:GetService("HttpService"):GetAsync("http://127.0.0.1/")',
  'return game:GetService("HttpService"):PostAsync("http://127.0.0.1/", "")',
  'return game:GetService("HttpService"):RequestAsync({ Url = "http://127.0.0.1/" })',
  'return game:HttpGet("http://127.0.0.1/")',
];

test('nothing in a library\'s source reaches files, processes, the network or JavaScript',
  async () => {
    const file = path.join(temporaryFolder(), 'reached.luau');
    const secret = path.join(temporaryFolder(), 'secret.luau');
    writeFileSync(secret, 'return 1');
    const ways = WAYS_OUT
      .map((way) => way.replaceAll('FILE', way.includes('require') ? secret : file));
    const source = ways.map((way, at) => `try(${at}, function() ${way} end)`).join('\n');
    const lines = await printed(`
      local function try(at, way)
        local ok, value = pcall(way)
        if ok and value ~= nil then print("REACHED", at) end
      end
      ${source}
      -- Every table that a script can walk to from its globals.
      local seen = {}
      local function walk(value, at)
        if type(value) ~= "table" or seen[value] then return end
        seen[value] = true
        for key, inner in value do
          if key == "need" or key == "labAsk" or key == "labTrace" then print("REACHED", at) end
          walk(inner, at .. "." .. tostring(key))
        end
      end
      walk(getfenv(), "_G")
      print("end")`);
    const reached = lines.filter((line) => line.startsWith('REACHED '))
      .map((line) => ways[Number(line.slice(8))] ?? line);
    assert.deepEqual(reached, []);
    assert.equal(lines.at(-1), 'end');
    assert.ok(!existsSync(file));
  });

test('what the lab lacks is an error that names it, and the run says it at its end', async () => {
  const { status, lines, proxy } = await runLibrary(`
    local function try(f) print(select(2, pcall(f))) end
    try(function() return game:GetService("TeleportService") end)
    try(function() return game.TextService end)
    try(function() return CFrame.new(0, 0, 0) end)
    try(function() return Enum.KeyCode end)
    try(function() return Enum.SortDirection.Sideways end)
    try(function() return Instance.new("Part") end)
    try(function() return DateTime.now():FormatLocalTime("LL", "en-us") end)
    try(function() return Random.new(1):NextUnitVector() end)
    try(function() game:GetService("MemoryStoreService"):GetQueue("q"):GetSizeAsync() end)
    local kept = { Vector3 = Vector3, known = typeof(Vector3) } -- Holding one is fine.
    assert(game.MessagingService == game:GetService("MessagingService"))
    assert(workspace:GetServerTimeNow() == tick())
    return {}`);
  assert.equal(status, 0);
  const texts = [
    "'TeleportService' is not a valid Service name",
    'TextService is not a valid member of DataModel "Game"',
    'new is not a valid member of CFrame',
    'KeyCode is not a valid member of "Enum"',
    'Sideways is not a valid member of "Enum.SortDirection"',
    'Unable to create an Instance of type "Part"',
    'FormatLocalTime is not a valid member of DateTime',
    'NextUnitVector is not a valid member of Random',
    'GetSizeAsync is not a valid member of MemoryStoreQueue "MemoryStoreQueue"',
  ];
  const placed = texts.map((text, at) => `mine/init.luau:${at + 3}: ${text}`);
  assert.deepEqual(proxy.all('notice').filter(({ kind }) => kind === 2).map(({ text }) => text),
    placed);
  assert.deepEqual(lines, placed.map((text) =>
    `dstap lab: mine: asked for what the lab does not have: ${text}`));
});
