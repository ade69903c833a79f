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

test('what cannot be stored is a call that the proxy is told about, and writes nothing', async () => {
  const { proxy, printed } = await run(`
    local store = service:GetDataStore("A")
    local function try(method, ...) print(select(2, pcall(store[method], store, "k", ...))) end
    local tagged = Instance.new("DataStoreSetOptions")
    tagged:SetMetadata({ f = print })
    try("SetAsync", { print })
    try("SetAsync", 1, { "x" })
    try("SetAsync", 1, {}, tagged)
    try("IncrementAsync", 1, { "x" })
    try("UpdateAsync", function() return "\\255" end)
    try("UpdateAsync", function() return 1, { "x" } end)
    try("UpdateAsync", function() return 1, 5 end)
    try("UpdateAsync", function() return 1, {}, 7 end)
    print(store:GetAsync("k"))`);
  const array = '104: Cannot store Array in data store. Data stores can only accept valid UTF-8 ' +
    'characters.';
  const ids = '513: Attribute userId format is invalid';
  const ofCalls = [array, ids, array.replace('Array', 'Dictionary'), ids];
  const ofFunctions =
    [array.replace('Array', 'string'), ids, 'Unable to cast to Array',
      '513: Attribute metadata format is invalid'];
  assert.deepEqual(printed, [...ofCalls, ...ofFunctions, 'nil nil']);
  const calls = proxy.all('call');
  assert.equal(calls.length, 9);
  assert.deepEqual(calls.slice(0, 4).map(({ refused }) => refused), ofCalls);
  assert.equal(calls[0].value, undefined);
  assert.deepEqual(proxy.all('transformResult').map(({ outcome, error }) => [outcome, error]),
    ofFunctions.map((text) => [1, text]));
  assert.deepEqual(proxy.all('notice').filter(({ kind }) => kind !== 2), []);
});

test('a table with an array part and other keys can be refused', async () => {
  const source = `
    local store = service:GetDataStore("A")
    print(select(2, pcall(store.SetAsync, store, "k", { deep = { 1, 2, x = 3 } })))
    print(select(2, pcall(store.UpdateAsync, store, "k", function() return { 1, x = 3 } end)))
    store:SetAsync("l", { 1, { 2 }, { x = 3 } })`;
  const refused = await run(source, (fake) => {
    fake.mixedTablesFail = true;
  });
  assert.match(refused.printed[0], /^104: Cannot store Dictionary in data store\./);
  assert.match(refused.printed[1], /^104: Cannot store Array in data store\./);
  assert.equal(refused.proxy.all('call')[2].value, '[1,[2],{"x":3}]');
  const { proxy } = await run(source);
  assert.equal(proxy.all('call')[0].value, '{"deep":[1,2]}');
  assert.equal(proxy.all('transformResult')[0].value, '[1]');
});

test('each request type has its documented number, and the proxy is asked for it', async () => {
  const names = ['GetAsync', 'SetIncrementAsync', 'UpdateAsync', 'GetSortedAsync',
    'SetIncrementSortedAsync', 'OnUpdate', 'ListAsync', 'GetVersionAsync', 'RemoveVersionAsync',
    'StandardRead', 'StandardWrite', 'StandardList', 'StandardRemove', 'OrderedRead',
    'OrderedWrite', 'OrderedList', 'OrderedRemove'];
  const { proxy, printed } = await run(names.map((name) => `
    print(Enum.DataStoreRequestType.${name}.Value)
    service:GetRequestBudgetForRequestType(Enum.DataStoreRequestType.${name})`).join('\n'));
  assert.deepEqual(printed, names.map((_, value) => `${value}`));
  assert.deepEqual(proxy.all('budgetQuery').map(({ type }) => type),
    names.map((_, value) => value + 1));
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

test('a number is a text wherever a text is wanted', async () => {
  const { proxy, printed } = await run(`
    local store = service:GetDataStore(7, 8)
    for _, call in {
      function() store:ListKeysAsync(5) end,
      function() store:ListKeysAsync("", 1, 5) end,
      function() service:ListDataStoresAsync(5, "3", 6) end,
      function() store:GetVersionAsync("k", 9) end,
    } do
      print(select(2, pcall(call)))
    end
    print("still running")`);
  assert.equal(printed.at(-1), 'still running');
  assert.deepEqual(proxy.all('openStore').map(({ store }) => [store.name, store.scope]),
    [['7', '8']]);
  assert.deepEqual(
    proxy.all('call').map(({ list }) =>
      [list.prefix, list.pageSize, list.cursor, list.version].map((given) => given || 0)),
    [['5', 0, 0, 0], [0, 1, '5', 0], ['5', 3, '6', 0], [0, 0, 0, '9']],
  );
});

test('an argument that cannot be cast is refused before there is a call', async () => {
  const { proxy, printed } = await run(`
    local store, ordered = service:GetDataStore("A"), service:GetOrderedDataStore("A")
    local function try(object, method, ...)
      print(method, (select(2, pcall(object[method], object, ...))))
    end
    try(store, "GetVersionAtTimeAsync", "k")
    try(store, "GetVersionAtTimeAsync", "k", 0 / 0)
    try(store, "GetVersionAsync", "k")
    try(store, "ListKeysAsync", {})
    try(store, "ListKeysAsync", "", "x")
    try(store, "ListKeysAsync", "", -2)
    try(store, "ListKeysAsync", "", 1e300)
    try(store, "ListKeysAsync", "", 5, {})
    try(store, "ListKeysAsync", "", 5, "", 1)
    try(store, "ListVersionsAsync", "k", "Sideways")
    try(store, "ListVersionsAsync", "k", nil, "soon")
    try(store, "ListVersionsAsync", "k", nil, 0, 0 / 0)
    try(store, "IncrementAsync", "k", 2 ^ 63)
    try(store, "IncrementAsync", "k", 1e300)
    try(store, "IncrementAsync", "k", 0 / 0)
    try(store, "IncrementAsync", "k", "x")
    try(store, "SetAsync", "k", 1, { a = 1 })
    try(store, "UpdateAsync", "k", 5)
    try(ordered, "GetSortedAsync")
    try(ordered, "GetSortedAsync", "up")
    try(service, "GetDataStore", "A", {})
    try(service, "GetDataStore")
    try(service, "GetOrderedDataStore", "A", true)
    local options = Instance.new("DataStoreGetOptions")
    print((select(2, pcall(function() options.UseCache = "x" end))))`);
  assert.deepEqual(printed, [
    'GetVersionAtTimeAsync Argument 2 missing or nil',
    'GetVersionAtTimeAsync Unable to cast value to int64',
    'GetVersionAsync Argument 2 missing or nil',
    'ListKeysAsync Unable to cast value to string',
    'ListKeysAsync Unable to cast value to int64',
    'ListKeysAsync 106: PageSize must be within a predefined range.',
    'ListKeysAsync Unable to cast value to int64',
    'ListKeysAsync Unable to cast value to string',
    'ListKeysAsync Unable to cast value to bool',
    'ListVersionsAsync Unable to cast value to Enum.SortDirection',
    'ListVersionsAsync Unable to cast value to int64',
    'ListVersionsAsync Unable to cast value to int64',
    'IncrementAsync Unable to cast value to int64',
    'IncrementAsync Unable to cast value to int64',
    'IncrementAsync Unable to cast value to int64',
    'IncrementAsync Unable to cast value to int64',
    'SetAsync Unable to cast to Array',
    'UpdateAsync Unable to cast value to function',
    'GetSortedAsync Argument 1 missing or nil',
    'GetSortedAsync Unable to cast value to bool',
    'GetDataStore Unable to cast value to string',
    'GetDataStore Argument 1 missing or nil',
    'GetOrderedDataStore Unable to cast value to string',
    printed.at(-1),
  ]);
  assert.match(printed.at(-1), /Unable to assign property UseCache. bool expected, got string/);
  assert.deepEqual(proxy.all('call'), []);
});

test('an increment of 64 bits is sent as it is', async () => {
  const { proxy } = await run(`
    local store = service:GetDataStore("A")
    pcall(store.IncrementAsync, store, "k", 2 ^ 62)
    pcall(store.IncrementAsync, store, "k", -2 ^ 63)
    pcall(store.IncrementAsync, store, "k", "3")`);
  assert.deepEqual(proxy.all('call').map(({ delta }) => Number(delta)), [2 ** 62, -(2 ** 63), 3]);
});

test('a rate limit has two numbers', async () => {
  const { proxy, printed } = await run(`
    local read = Enum.DataStoreRequestType.StandardRead
    local function try(...)
      print((select(2, pcall(service.SetRateLimitForRequestType, service, ...))))
    end
    try()
    try("Sideways", 1, 1)
    try(read)
    try(read, 1)
    try(read, "x", 1)
    try(read, 1e300, 1)
    try(read, 1, 0 / 0)`);
  assert.deepEqual(printed, [
    'Argument 1 missing or nil',
    'Unable to cast value to Enum.DataStoreRequestType',
    'Argument 2 missing or nil',
    'Argument 3 missing or nil',
    'Unable to cast value to int',
    'Unable to cast value to int',
    'Unable to cast value to int',
  ]);
  assert.deepEqual(proxy.all('setRateLimit'), []);
});

test('two at once on one page object go on one after the other', async () => {
  const { proxy, printed } = await run(`
    local pages = service:GetDataStore("A"):ListKeysAsync()
    local function go(name)
      local ok, problem = pcall(pages.AdvanceToNextPageAsync, pages)
      print(name, ok and pages:GetCurrentPage()[1].KeyName or problem)
    end
    for _, name in { "one", "two", "three", "four" } do task.spawn(go, name) end
    task.wait(1)`);
  assert.deepEqual(printed,
    ['one page 2', 'two page 3', 'three No pages to advance to.', 'four No pages to advance to.']);
  assert.deepEqual(proxy.all('call').map(({ list }) => list.page), [1, 2, 3]);
});
