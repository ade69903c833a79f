// What a script may pass to data stores and what it gets, as far as it is decided on the server.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runLibrary } from './support.mjs';

const OUTPUT = 2;

// The lines that the source prints, and the proxy it spoke to.
async function run(source, prepare) {
  const { proxy, lines } = await runLibrary(
    `local service = game:GetService("DataStoreService")\n${source}\nreturn {}`, '', [], prepare);
  const printed = proxy.all('notice').filter(({ kind }) => kind === OUTPUT)
    .map(({ text }) => text);
  return { proxy, lines, printed };
}

test('a store is opened by name and scope, once each, global unless said', async () => {
  const { proxy, printed } = await run(`
    local all = Instance.new("DataStoreOptions")
    all.AllScopes = true
    print(service:GetDataStore("A") == service:GetDataStore("A", "global"))
    print(service:GetDataStore("A") == service:GetOrderedDataStore("A"))
    service:GetDataStore("A", "", all)
    service:GetGlobalDataStore()`);
  assert.deepEqual(printed, ['true', 'false']);
  assert.deepEqual(
    proxy.all('openStore').map(({ store }) =>
      [store.name ?? '', store.scope ?? '', store.kind, store.allScopes ?? false]),
    [['A', 'global', 1, false], ['A', 'global', 2, false], ['A', '', 1, true], ['', 'u', 1, false]],
  );
});

test('keys and arguments are cast as Roblox casts them', async () => {
  const { proxy, printed } = await run(`
    local store = service:GetDataStore("A")
    store:SetAsync(12, "number key")
    print(store:GetAsync("12"))
    local function try(method, ...) print(select(2, pcall(store[method], store, ...))) end
    try("GetAsync")
    try("SetAsync", "k", 1, 5)
    try("SetAsync", "k", 1, {}, 5)
    try("GetAsync", "k", {})
    try("UpdateAsync", "k")`);
  assert.deepEqual(printed.map((line) => line.split(' Instance')[0]), [
    'number key DataStoreKeyInfo',
    'Argument 1 missing or nil',
    'Unable to cast to Array',
    'Unable to cast to Dictionary',
    'Unable to cast to Dictionary',
    'Argument 2 missing or nil',
  ]);
  assert.equal(proxy.all('call')[0].key, '12');
});

test('user ids are rounded and must be numbers', async () => {
  const { proxy, printed } = await run(`
    local store = service:GetDataStore("A")
    store:SetAsync("k", 1, { 1.4, 2.6 })
    print(select(2, pcall(store.SetAsync, store, "k", 1, { "x" })))`);
  assert.deepEqual(proxy.all('call')[0].userIds, [1, 3]);
  assert.deepEqual(printed, ['513: Attribute userId format is invalid']);
});

test('the last page says so, and there is none behind it', async () => {
  const { printed } = await run(`
    local store = service:GetOrderedDataStore("A")
    store:SetAsync("k", 5)
    local pages = store:GetSortedAsync(true, 10)
    local page = pages:GetCurrentPage()
    print(#page, page[1].key, page[1].value, pages.IsFinished)
    print(select(2, pcall(pages.AdvanceToNextPageAsync, pages)))`);
  assert.deepEqual(printed, ['1 k 5 true', 'No pages to advance to.']);
});

test('BatchGetAsync sends its keys, whatever the kind of store', async () => {
  const { proxy, printed } = await run(`
    print(select(2, pcall(function() service:GetOrderedDataStore("A"):BatchGetAsync({ "a", 7 }) end)))
    print(select(2, pcall(function() service:GetDataStore("A"):BatchGetAsync({ "a" }) end)))
    print(select(2, pcall(function() service:GetOrderedDataStore("A"):BatchGetAsync("a") end)))`);
  // The fake proxy has no such method; the simulator's tests answer it.
  assert.deepEqual(printed, ['no method 13 here', 'no method 13 here', 'Unable to cast to Array']);
  assert.deepEqual(proxy.all('call').map(({ store, list }) => [store.kind, list.keys]),
    [[2, ['a', '7']], [1, ['a']]]);
});

test('bounds of GetSortedAsync are whole numbers', async () => {
  const { printed } = await run(`
    local store = service:GetOrderedDataStore("A")
    local function try(...) print(select(2, pcall(store.GetSortedAsync, store, true, 10, ...))) end
    try(1.5)
    try(nil, 2.5)
    try("1")
    try(0 / 0)
    try(math.huge)
    print((pcall(store.GetSortedAsync, store, true, 10, -5, 5)))`);
  assert.deepEqual(printed, [
    '106: MinValue must be an integer.',
    '106: MaxValue must be an integer.',
    '106: MinValue must be an integer.',
    '106: MinValue must be an integer.',
    '106: MinValue must be an integer.',
    'true',
  ]);
});

test('a value that was read is a copy of its own', async () => {
  const { printed } = await run(`
    local store = service:GetDataStore("A")
    local mine = { coins = 1 }
    store:SetAsync("k", mine)
    mine.coins = 2
    local first = store:GetAsync("k")
    first.coins = 3
    print(store:GetAsync("k").coins)
    store:UpdateAsync("k", function(old) old.coins = 4 return nil end)
    print(store:GetAsync("k").coins)`);
  assert.deepEqual(printed, ['1', '1']);
});

test('option objects hold what was set and begin with the defaults', async () => {
  const { proxy, printed } = await run(`
    local options = Instance.new("DataStoreOptions")
    options:SetExperimentalFeatures({ v2 = true })
    print(options.AllScopes, Instance.new("DataStoreGetOptions").UseCache)
    local set = Instance.new("DataStoreSetOptions")
    set:SetMetadata({ tag = "x" })
    print(set:GetMetadata().tag, next(Instance.new("DataStoreIncrementOptions"):GetMetadata()))
    service:GetDataStore("A", nil, options):SetAsync("k", 1, {}, set)
    local past = Instance.new("DataStoreGetOptions")
    past.UseCache = false
    service:GetDataStore("A"):GetAsync("k", past)
    service:GetDataStore("A"):GetAsync("k")`);
  assert.deepEqual(printed, ['false true', 'x nil']);
  const calls = proxy.all('call');
  assert.equal(calls[0].metadata, '{"tag":"x"}');
  assert.deepEqual(calls.slice(1).map(({ useCache }) => useCache ?? 0), [2, 0]);
});

test('OnUpdate is named as what a store does not have', async () => {
  const { printed, lines } = await run(`
    local store = service:GetDataStore("A")
    print((select(2, pcall(function() store:OnUpdate("k", print) end))))`);
  assert.match(printed[0], /OnUpdate is not a valid member of DataStore/);
  assert.match(lines.join('\n'), /OnUpdate/);
});
