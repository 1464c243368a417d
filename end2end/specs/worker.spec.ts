// What the service worker keeps when responses are slow: no browser is needed, and the order of the responses is chosen.
import { expect, test } from '@playwright/test';
import { Worker, page } from '../worker.ts';

test('an open page is loaded once at a time, and once more if it has changed meanwhile', async () => {
  const worker = new Worker();
  const first = await worker.keep('c/1');
  const [second, third] = [await worker.keep('c/1'), await worker.keep('c/1')];
  expect(worker.asked.map(({ path }) => path)).toEqual(['c/1']);
  await worker.keep('inbox');
  expect(worker.asked.map(({ path }) => path)).toEqual(['c/1', 'inbox']);
  await worker.asked[0].answer(page('before', '1'));
  expect([first, second, third]).toEqual([[true], [], []]);
  expect(worker.asked.map(({ path }) => path)).toEqual(['inbox', 'c/1']);
  await worker.asked[1].answer(page('after', '1'));
  expect([first, second, third]).toEqual([[true], [true], [true]]);
  expect(worker.requests).toBe(3);
  expect(await worker.kept()).toEqual({ '1 /c/1': 'after' });
});

test('a page counts as kept when it is kept, and not when its request failed', async () => {
  const worker = new Worker();
  for (const fails of [() => worker.asked[0].fail(), () => worker.asked[0].answer(page('busy', '1', 503)), () => worker.asked[0].answer(page('log in', undefined, 401))]) {
    const answers = await worker.keep('');
    expect(answers).toEqual([]);
    await fails();
    expect(answers).toEqual([false]);
  }
  const answers = await worker.keep('');
  await worker.asked[0].answer(page('list', '1'));
  expect(answers).toEqual([true]);
  expect(await worker.kept()).toEqual({ '1 /': 'list' });
  // What is never kept needs no further attempt, and no request.
  expect(await worker.keep('settings')).toEqual([true]);
  expect(worker.asked).toEqual([]);
});

test('a response that was overtaken by a newer one of the same page replaces nothing', async () => {
  const worker = new Worker();
  await worker.navigate('c/1');
  await worker.keep('c/1');
  const [opened, kept] = [...worker.asked];
  await kept.answer(page('newer', '1'));
  await opened.answer(page('older', '1'));
  expect(await worker.kept()).toEqual({ '1 /c/1': 'newer' });
  // Nor does it bring back a page that is gone.
  await worker.navigate('c/1');
  await worker.keep('c/1');
  const [slow, gone] = [...worker.asked];
  await gone.answer(page('not found', '1', 404));
  await slow.answer(page('older', '1'));
  expect(await worker.kept()).toEqual({});
});

test('the pages of another person go, and those that are just being kept stay', async () => {
  const worker = new Worker();
  await worker.keep('c/1');
  await worker.asked[0].answer(page('of ada', '1'));
  const answers = [await worker.keep('c/1'), await worker.keep('')];
  const [one, other] = [...worker.asked];
  await Promise.all([one.answer(page('of olga', '2')), other.answer(page('list of olga', '2'))]);
  expect(await worker.kept()).toEqual({ '2 /c/1': 'of olga', '2 /': 'list of olga' });
  expect(answers).toEqual([[true], [true]]);
});

test('a late response to the person before is neither kept nor deletes what the next one has', async () => {
  const worker = new Worker();
  const late = await worker.keep('c/1');
  const [of_ada] = worker.asked;
  await worker.navigate('');
  await worker.asked[1].answer(page('list of olga', '2'));
  await of_ada.answer(page('of ada', '1'));
  expect(await worker.kept()).toEqual({ '2 /': 'list of olga' });
  expect(late).toEqual([false]);
});

test('nothing is kept that was requested before a login ended', async () => {
  const worker = new Worker();
  await worker.keep('c/1');
  await worker.asked[0].answer(page('of ada', '1'));
  const late = await worker.keep('c/1');
  const [before] = worker.asked;
  await worker.navigate('logout', 'POST');
  await worker.asked[1].answer(page('log in'));
  expect(await worker.kept()).toEqual({});
  await before.answer(page('of ada', '1'));
  expect(await worker.kept()).toEqual({});
  expect(late).toEqual([false]);
  // Nor does a refusal from before the next login end that one.
  await worker.keep('c/1');
  const [refused] = worker.asked;
  await worker.navigate('');
  await worker.asked[1].answer(page('list of ada', '1'));
  await refused.answer(page('log in', undefined, 401));
  expect(await worker.kept()).toEqual({ '1 /': 'list of ada' });
});

test('of many pages those that were kept last stay', async () => {
  const worker = new Worker();
  for (const path of ['', 'inbox', ...Array.from({ length: 40 }, (_, at) => `c/${at}`), 'c/0']) {
    await worker.keep(path);
    await worker.asked[0].answer(page(path, '1'));
    // The copies are told apart by the time of day.
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const kept = Object.keys(await worker.kept());
  expect(kept).toHaveLength(32);
  for (const path of ['1 /', '1 /inbox', '1 /c/0', '1 /c/39']) expect(kept).toContain(path);
  expect(kept).not.toContain('1 /c/1');
});

test('who logs in is shown nothing of the person before, however slow the network is', async () => {
  // With a password, and back from the provider of another account.
  for (const [path, method] of [['login', 'POST'], ['login/openid/callback', 'GET']]) {
    const worker = new Worker();
    await worker.keep('');
    await worker.asked[0].answer(page('list of ada', '1'));
    await worker.navigate(path, method);
    expect(worker.asked.map(({ path }) => path)).toEqual([path]);
    expect(await worker.kept()).toEqual({});
  }
});

test('a conversation that a person sees no more goes from the device once they are back', async () => {
  const worker = new Worker();
  for (const path of ['c/1', 'c/2']) {
    await worker.keep(path);
    await worker.asked[0].answer(page(path, '1'));
  }
  await worker.navigate('');
  await worker.asked[0].answer(page('list', '1'));
  expect(worker.asked.map(({ path }) => path)).toEqual(['c/1']);
  await worker.asked[0].answer(page('not found', '1', 404));
  expect(worker.asked.map(({ path }) => path)).toEqual(['c/2']);
  await worker.asked[0].answer(page('', '1'));
  expect(await worker.kept()).toEqual({ '1 /c/2': 'c/2', '1 /': 'list' });
  // Not again with every list.
  await worker.navigate('');
  await worker.asked[0].answer(page('list', '1'));
  expect(worker.asked).toEqual([]);
});
