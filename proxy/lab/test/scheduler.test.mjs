import assert from 'node:assert/strict';
import { test } from 'node:test';
import { luau } from './luau.mjs';

// Frame k as BigInt arithmetic has it.
const frameAt = (k) => Number((BigInt(k) * 2_000_000_000n + 60n) / 120n);

test('frame k is at round(k * 1e9 / 60) for a day', async () => {
  const ks = [0, 1, 2, 3, 4, 59, 60, 61, 3599, 216_000, 5_183_999];
  const got = await luau(`
    local frames = need("frames")
    local out = {}
    for _, k in { ${ks} } do table.insert(out, tostring(frames.at(k))) end
    return table.concat(out, ",")`);
  assert.equal(got, ks.map(frameAt).join());
});

test('the frame at or after an instant is never before it', async () => {
  assert.equal(await luau(`
    local frames = need("frames")
    for k = 0, 10000 do
      local at = frames.at(k)
      if frames.indexAtOrAfter(at) ~= k then return "at " .. k end
      if frames.indexAtOrAfter(at + 1) ~= k + 1 then return "after " .. k end
      if frames.after(at) ~= frames.at(k + 1) then return "next of " .. k end
    end
    return "fine"`), 'fine');
});

test('the heap gives entries by time and then by order of insertion', async () => {
  assert.equal(await luau(`
    local heap = need("heap")
    local stream = need("random").stream(3, "heap")
    local items = {}
    for index = 1, 5000 do
      heap.push(items, { due = stream:integer(1, 300), sequence = index })
    end
    local last = heap.pop(items)
    for index = 2, 5000 do
      local next = heap.pop(items)
      if next.due < last.due or (next.due == last.due and next.sequence < last.sequence) then
        return "out of order at " .. index
      end
      last = next
    end
    return tostring(#items)`), '0');
});

// Runs `script` in a thread of a stand-in server, frame by frame, and gives what it logged.
const simulate = (script, seconds = 2) => luau(`
  local scheduler = need("scheduler")
  local runService = need("run_service")
  local objects = need("objects")
  local log = {}
  local server = {
    gone = false,
    scriptError = function(_, problem) table.insert(log, "error " .. tostring(problem)) end,
    lacks = function() end,
  }
  local start = scheduler.now
  local function note(text)
    table.insert(log, text .. "@" .. string.format("%.4f", (scheduler.now - start) / 1e9))
  end
  local function wait(s) return scheduler.wait(server, s) end
  local service = runService.new(server)
  scheduler.resume(server, coroutine.create(function() ${script} end))
  while true do
    scheduler.runInstant()
    local wake = scheduler.nextWake()
    if not wake or wake > start + ${seconds} * 1e9 then break end
    scheduler.now = wake
  end
  runService.stop(service)
  -- The next test starts on a frame, and whole frames later.
  scheduler.now = need("frames").at(need("frames").indexAtOrAfter(scheduler.now) // 60 * 60 + 600)
  return table.concat(log, " ")`);

test('a wait resumes in the first frame at or after its time, never in its own', async () => {
  assert.equal(
    await simulate(`
      wait(0) note("a") wait(0.1) note("b") wait(0.101) note("c") wait(1/60) note("d")`),
    'a@0.0167 b@0.1167 c@0.2333 d@0.2500',
  );
});

test('a wait of n frames takes n frames from wherever it starts', async () => {
  assert.equal(await simulate(`
    for n = 1, 20 do
      local before = scheduler.now
      wait(n / 60)
      local frames = need("frames")
      local took = frames.indexAtOrAfter(scheduler.now) - frames.indexAtOrAfter(before)
      if took ~= n then note(n .. " took " .. took) end
    end
    note("done")`, 10), 'done@3.5000');
});

test('a frame is PreSimulation, Stepped, PostSimulation, due waits, Heartbeat', async () => {
  const got = await simulate(`
    for _, name in { "Heartbeat", "PostSimulation", "Stepped", "PreSimulation" } do
      service[name]:Once(function() note(name) end)
    end
    wait(0)
    note("wait")`);
  assert.equal(got, 'PreSimulation@0.0000 Stepped@0.0000 PostSimulation@0.0000 ' +
    'Heartbeat@0.0000 wait@0.0167');
  const second = await simulate(`
    wait(0.01)
    for _, name in { "Heartbeat", "PostSimulation" } do
      service[name]:Once(function() note(name) end)
    end
    wait(0)
    note("wait")`);
  assert.equal(second, 'Heartbeat@0.0167 PostSimulation@0.0333 wait@0.0333');
});

test('frames are skipped while nobody listens', async () => {
  assert.equal(await simulate(`
    wait(0.5)
    note("next " .. tostring(scheduler.frameListeners))
    local connection = service.Heartbeat:Connect(function() note("beat") end)
    wait(0.02)
    connection:Disconnect()
    note("next " .. tostring(scheduler.frameListeners))`),
  'next 0@0.5000 beat@0.5000 beat@0.5167 next 0@0.5333');
});

test('a handler that waits does not hold up the frames', async () => {
  assert.equal(await simulate(`
    local count = 0
    local connection
    connection = service.Heartbeat:Connect(function()
      count += 1
      local mine = count
      if count == 3 then connection:Disconnect() end
      wait(0.1)
      note("handler " .. mine)
    end)`), 'handler 1@0.1000 handler 2@0.1167 handler 3@0.1333');
});

test('an error in a handler is reported and the others run', async () => {
  assert.equal(await simulate(`
    service.Heartbeat:Once(function() error("broken", 0) end)
    service.Heartbeat:Once(function() note("other") end)`), 'error broken other@0.0000');
});
