// Search over all conversations, and within one: found, opened at the row, and on to the next hit.
import { expectAccessible, expectNothingClipped } from '../accessible.ts';
import { expect, test } from '../fixtures.ts';

test.describe.configure({ timeout: 240_000 });

const EVERYWHERE = { tag: ['@phone-all', '@nojs'] };

test('what two conversations contain is found in both, and a hit opens at its row', EVERYWHERE, async ({ person, page }) => {
  const older = await person.createConversation('Look at the zanzibar [[scenario:long:40]]');
  await person.seeStatus('finished');
  const newer = await person.createConversation('A zanzibar again [[scenario:hello]]');
  await person.seeTurn();
  await person.open('/search');
  await page.getByLabel('Search all conversations').fill('zanzibar');
  const results = page.locator('.result');
  // A search that ran out of time says that it has no results so far. The rehearsal repeats what it was told, so each conversation may have several.
  await expect(async () => {
    await page.getByRole('main').getByRole('button', { name: 'Search', exact: true }).click();
    await expect(results.first()).toBeVisible({ timeout: 5_000 });
  }).toPass();
  await expect(results.first().locator('mark').first()).toHaveText('zanzibar');
  const addresses = await page.locator('.result__link').evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
  const order = addresses.map((address) => (address.includes(newer) ? 'newer' : address.includes(older) ? 'older' : address));
  expect(new Set(order)).toEqual(new Set(['newer', 'older']));
  expect(order).toEqual([...order].sort());
  await results.filter({ has: page.locator(`a[href*="${older}"]`) }).last().getByRole('link').click();
  await page.waitForURL(/\/c\/.*hit=/);
  expect(person.conversation).toBe(older);
  const row = page.locator('.timeline .row').filter({ hasText: 'Look at the zanzibar' }).first();
  await expect(row).toBeInViewport();
  await page.getByRole('navigation', { name: 'Search results' }).getByRole('link', { name: 'All results' }).click();
  await expect(results.first()).toBeVisible();
});

test('from one hit to the next and back, and filters narrow the search and are in the address', EVERYWHERE, async ({ person, page }) => {
  const id = await person.createConversation('Many steps [[scenario:long:40]]');
  await person.seeStatus('finished');
  await person.open(`/c/${id}?q=echo`);
  const results = page.locator('.result');
  await expect(results.first()).toBeVisible();
  await results.first().getByRole('link').click();
  const walk = page.getByRole('navigation', { name: 'Search results' });
  await expect(walk.getByRole('link', { name: 'Previous hit' })).toHaveCount(0);
  const places: string[] = [];
  // While the next hit is loading, the links are those of the hit before.
  const reach = (place: string) => expect(page.locator(person.scripted ? `${place}[data-hit]` : place)).toBeInViewport();
  for (let step = 0; step < 3; step += 1) {
    const place = new URL(page.url()).hash;
    expect(places).not.toContain(place);
    places.push(place);
    await reach(place);
    await walk.getByRole('link', { name: 'Next hit' }).click();
    await expect(page).not.toHaveURL(new RegExp(`${place}$`));
  }
  await reach(new URL(page.url()).hash);
  // Only the hit itself is marked.
  if (person.scripted) await expect(page.locator('[data-hit]')).toHaveCount(1);
  await walk.getByRole('link', { name: 'Previous hit' }).click();
  await expect(page).toHaveURL(new RegExp(`${places[2]}$`));
  await walk.getByRole('link', { name: 'All results' }).click();
  await expect(page).toHaveURL(new RegExp(`/c/${id}\\?`));
  await expect(results.first()).toBeVisible();

  await person.open('/search?q=step');
  await page.getByText('Filters', { exact: true }).click();
  await page.getByLabel('Kind').selectOption('Commands');
  await page.getByRole('main').getByRole('button', { name: 'Search', exact: true }).click();
  await page.waitForURL(/kind=command/);
  await expect(page.locator('.result').first()).toContainText('Command');
  await expect(page.locator('.result').filter({ hasText: 'Output' })).toHaveCount(0);
  await person.open(`/search?q=step&conversation=${id}&to=2020-01-01`);
  await expect(page.getByText('No results')).toBeVisible();
  await person.open(`/search?q=step&from=nonsense`);
  await expect(page.getByRole('alert')).toContainText('first day');
});

test('a phrase, an exact text and the beginning of a word', { tag: ['@all', '@phone-all', '@nojs'] }, async ({ person, page }) => {
  const id = await person.createConversation('Tell me about foo->bar and foo bar, please [[scenario:hello]]');
  await person.seeTurn();
  const found = async (query: string, conversation = id) => {
    await person.open(`/search?q=${encodeURIComponent(query)}&conversation=${conversation}&source=human`);
    await page.locator('.result, .empty').first().waitFor();
    return page.locator('.result').count();
  };
  expect(await found('"foo->bar"')).toBe(1);
  expect(await found('"foo<-bar"')).toBe(0);
  expect(await found('"about foo"')).toBe(1);
  expect(await found('plea')).toBe(1);
  await expect(page.getByRole('heading', { name: 'Longer words' })).toBeVisible();
  // In one conversation a quoted text is looked for letter by letter; over all, its words are whole.
  expect(await found('"plea"')).toBe(1);
  expect(await found('"plea"', '')).toBe(0);
  expect(await found('"please"', '')).toBe(1);
});

test('the palette leads to a conversation by its name, and like a slash to the search', async ({ person, page }) => {
  const id = await person.createConversation('Look at the zanzibar [[scenario:hello]]');
  await person.see(page.locator('.conversation__title').filter({ hasText: 'Rehearsal: hello' }));
  await person.seeTurn();
  await person.open('/');
  const palette = page.getByRole('dialog', { name: 'Go to' });
  await page.keyboard.press('Control+k');
  await palette.getByRole('textbox', { name: 'Go to' }).fill('rehearsal: h');
  await expect(palette.getByRole('link')).toHaveText(['Rehearsal: hello', 'Search for “rehearsal: h”']);
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`/c/${id}$`));
  await expect(palette).toHaveCount(0);
  await page.locator('body').press('/');
  await expect(page.getByRole('heading', { name: 'Search', exact: true })).toBeVisible();
  await expect(page.getByLabel('Search all conversations')).toBeFocused();
  await page.keyboard.type('zanzibar');
  await page.keyboard.press('Enter');
  await person.firstResult();
  await page.locator('body').press('Control+k');
  await palette.getByLabel('Go to').fill('zanzi');
  await palette.getByRole('link', { name: 'Search for “zanzi”' }).click();
  await expect(page).toHaveURL(/\/search\?q=zanzi$/);
  await person.firstResult();
  await page.locator('.result__link').first().focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/c\//);
  await expect(page.locator('.row[data-hit]')).toBeFocused();
});

test('the search is accessible', { tag: ['@all', '@phone-all'] }, async ({ person, page }) => {
  await person.createConversation('Look at the zanzibar [[scenario:long:12]]');
  await person.seeStatus('finished');
  for (const address of ['/search', '/search?q=step', '/search?q=nothing+like+that', '/search?q=step&kind=command']) {
    await person.open(address);
    await page.locator('.result, .empty').first().waitFor();
    await expectAccessible(page, address);
    await expectNothingClipped(page, address);
  }
  await page.locator('.result__link').first().click();
  await page.locator('.row[data-hit]').waitFor();
  await expectAccessible(page, 'a hit');
  await expectNothingClipped(page, 'a hit');
  await page.setViewportSize({ width: 360, height: 640 });
  await person.open('/search?q=step&kind=command');
  await expect(page.locator('.result').first()).toBeVisible();
  await expectNothingClipped(page, 'a narrow window');
});
