import assert from 'node:assert/strict';
import { test } from 'node:test';
import { luau } from './luau.mjs';

const encode = (expression) => luau(`
  local text, problem = need("json").encode(${expression})
  return text or "refused: " .. problem`);

// Decodes and encodes again.
const roundTrip = (text) => luau(`
  local json = need("json")
  local ok, value = json.decode([==[${text}]==])
  return if ok then json.encode(value) else "wrong: " .. value`);

const table = (cases, run) => async () => {
  for (const [given, expected] of cases) {
    assert.equal(await run(given), expected, given);
  }
};

test('tables are arrays, objects or, empty, always an array', table([
  ['{}', '[]'],
  ['{1,2,3}', '[1,2,3]'],
  ['{b=1,a={}}', '{"a":[],"b":1}'],
  ['{[5]=1}', '{"5":1}'],
  ['{1,2,x=3}', '[1,2]'],
  ['{1,nil,3}', '[1,null,3]'],
  ['{{},{a=true},false}', '[[],{"a":true},false]'],
  ['setmetatable({a=1},{__index={b=2}})', '{"a":1}'],
], encode));

test('numbers give the same number back, in at most 17 digits', table([
  ['0', '0'],
  ['-0', '-0'],
  ['42', '42'],
  ['1e15', '1000000000000000'],
  ['2^53', '9007199254740992'],
  ['0.1', '0.1'],
  ['0.1+0.2', '0.30000000000000004'],
  ['1/3', '0.3333333333333333'],
  ['3.14', '3.14'],
  ['1e40', '1e+40'],
  ['5e-324', '5e-324'],
  ['0/0', '{"m":null,"t":"numeric","v":"nan"}'],
  ['math.huge', '{"m":null,"t":"numeric","v":"inf"}'],
  ['-math.huge', '{"m":null,"t":"numeric","v":"-inf"}'],
], encode));

test('100,000 random numbers give the same number back', async () => {
  assert.equal(await luau(`
    local json = need("json")
    local stream = need("random").stream(1, "numbers")
    for index = 1, 100000 do
      local number = (stream:unit() - 0.5) * 10 ^ stream:integer(-300, 300)
      local ok, back = json.decode(json.encode(number))
      if not ok or back ~= number then return "not the same: " .. tostring(number) end
    end
    return "same"`), 'same');
});

test('strings are escaped only where JSON demands it', table([
  ['"plain \u00e9\u{1F600}"', '"plain \u00e9\u{1F600}"'],
  [String.raw`"a\"b\\c/d"`, String.raw`"a\"b\\c/d"`],
  [String.raw`"\b\f\n\r\t\0\31\127"`, String.raw`"\b\f\n\r\t\u0000\u001F` + '\x7f"'],
], encode));

test('what cannot be stored is named, by its container when it is inside one', table([
  [String.raw`"\255"`, 'refused: string'],
  [String.raw`{"\255"}`, 'refused: Array'],
  [String.raw`{a="\255"}`, 'refused: Dictionary'],
  ['print', 'refused: function'],
  ['{a={print}}', 'refused: Dictionary'],
  ['{[true]=1}', 'refused: Dictionary'],
  ['vector.create(1,2,3)', 'refused: Vector3'],
  ['(function() local t = {} t.t = t return t end)()', 'refused: Dictionary'],
], encode));

test('the same table twice is no cycle', async () => {
  assert.equal(await encode('(function() local t = {1} return {t, t} end)()'), '[[1],[1]]');
});

test('buffers come back as they were', async () => {
  assert.equal(await encode('buffer.fromstring("hello")'),
    '{"m":null,"t":"buffer","base64":"aGVsbG8="}');
  assert.equal(await luau(`
    local json = need("json")
    for length = 0, 40 do
      local bytes = buffer.create(length)
      for at = 0, length - 1 do buffer.writeu8(bytes, at, (at * 37 + length) % 256) end
      local _, back = json.decode(json.encode(bytes))
      if typeof(back) ~= "buffer" or buffer.tostring(back) ~= buffer.tostring(bytes) then
        return "length " .. length
      end
    end
    return "same"`), 'same');
});

test('text is decoded and a wrapped number is a number', table([
  [' { "a" : [ 1 , -2.5e3 , null ] , "b" : null , "c" : "\\u0041\\ud83d\\ude00\\/" } ',
    '{"a":[1,-2500],"c":"A\u{1F600}/"}'],
  ['{"m":null,"t":"numeric","v":"-inf"}', '{"m":null,"t":"numeric","v":"-inf"}'],
  ['{"m":null,"t":"numeric","v":"inf","x":1}', '{"t":"numeric","v":"inf","x":1}'],
  ['{"m":1,"t":"numeric","v":"inf"}', '{"m":1,"t":"numeric","v":"inf"}'],
], roundTrip));

test('what is not JSON is refused with its place', table([
  ['', 'wrong: byte 1 of 0'],
  ['{"a":1,}', 'wrong: byte 8 of 8'],
  ['[1 2]', 'wrong: byte 4 of 5'],
  ['01', 'wrong: byte 1 of 2'],
  ['1.', 'wrong: byte 2 of 2'],
  ['"abc', 'wrong: byte 4 of 4'],
  ['"\\x"', 'wrong: byte 3 of 4'],
  ['"\\ud800"', 'wrong: byte 8 of 8'],
  ['nul', 'wrong: byte 1 of 3'],
  ['1 1', 'wrong: byte 3 of 3'],
], roundTrip));
