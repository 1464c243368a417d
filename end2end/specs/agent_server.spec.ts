// Features that only an agent-server 1.x has, whichever dialect the other tests use.
import { STEADY, expect, test } from '../fixtures.ts';
import { handOf, openPanel } from '../hand.ts';

test.use({ serverArgs: ['--rehearsal', '1.x', '--rehearsal-pace', STEADY] });

test('a conversation is tagged, and found by its tags', { tag: ['@phone-all', '@nojs'] }, async ({ person, page, watch }) => {
  watch.allow(/status of [45]\d\d/);
  await person.createConversation('Say hello [[scenario:hello]]');
  await person.seeStatus('finished');
  const info = await person.view('Info');
  const tags = info.getByLabel('One per line');
  await tags.fill('Two words');
  await info.getByRole('button', { name: 'Save tags' }).click();
  await person.see(page.getByText('“Two words” is not a valid tag'));
  await tags.fill('urgent\nteam=infra');
  await info.getByRole('button', { name: 'Save tags' }).click();
  await expect(page.getByText('“Two words” is not a valid tag')).toHaveCount(0);
  if (person.scripted) await expect(info.getByText('Saved', { exact: true })).toBeVisible();
  await person.reload();
  await expect(tags).toHaveValue('team=infra\nurgent');
  await person.open('/');
  await expect(page.locator('.conversation-row').first()).toContainText('team=infra · urgent');
  await page.getByLabel('Search conversations').fill('INFRA');
  await page.getByRole('button', { name: 'Search' }).first().click();
  await expect(page.locator('.conversation-row')).toHaveCount(1);
  await page.getByLabel('Search conversations').fill('no such');
  await page.getByRole('button', { name: 'Search' }).first().click();
  await expect(page.locator('.conversation-row')).toHaveCount(0);
});

test('a list that was searched by tag updates live', async ({ person, page, another }) => {
  const other = await another();
  await other.createConversation('Say hello [[scenario:hello]]');
  await other.seeStatus('finished');
  await person.open('/?q=urgent');
  await expect(page.getByText('No title, repository or tag contains “urgent”.')).toBeVisible();
  const info = await other.view('Info');
  const save = async (tags: string) => {
    await info.getByLabel('One per line').fill(tags);
    await info.getByRole('button', { name: 'Save tags' }).click();
  };
  const rows = page.locator('.conversation-row');
  await save('urgent');
  await expect(rows).toContainText('urgent');
  await other.view('Timeline');
  await other.say('Ask me [[scenario:confirm]]');
  await expect(rows).toContainText('echo "confirm me"');
  await other.view('Info');
  await save('later');
  await expect(rows).toHaveCount(0);
});

test('the changes of a commit are shown beside the uncommitted ones', { tag: ['@phone-all', '@nojs'] }, async ({ person, page }) => {
  await person.createConversation('Work on it [[scenario:parallel]]');
  await person.approve('');
  await person.seeStatus('finished');
  const changes = await person.view('Changes');
  const files = changes.locator('.review__file > summary');
  await person.see(changes.getByRole('group').getByText('Uncommitted changes').first());
  await person.see(files.first());
  const open = (await files.allTextContents()).map((text) => text.trim());
  await changes.getByRole('group').getByText('Uncommitted changes').first().click();
  await changes.getByRole('link', { name: /5f0c1d3 Tally words Rehearsal/ }).click();
  await expect(page).toHaveURL(/commit=5f0c1d3/);
  await person.see(files.filter({ hasText: 'README.md' }));
  await person.see(changes.locator('.block-diff').filter({ hasText: 'def ' }).first());
  await changes.getByRole('group').getByText('Tally words').first().click();
  await changes.getByRole('link', { name: 'Uncommitted changes' }).click();
  await expect(page).not.toHaveURL(/commit=/);
  await expect(files).toHaveText(open);
});

test('the agent answers a side question, and continues with another model', { tag: ['@phone-all'] }, async ({ person }) => {
  await person.createConversation('Many steps [[scenario:long:200]]');
  await person.seeWork();
  const info = await person.view('Info');
  await info.getByLabel('Question').fill('How far are you?');
  await info.getByRole('button', { name: 'Ask' }).click();
  await person.see(info.locator('.notice__text').filter({ hasText: 'rehearsal' }));
  const model = info.getByLabel('Continue with');
  const choice = (await model.locator('option').allTextContents()).at(-1) ?? '';
  await model.selectOption({ label: choice.trim() });
  await info.getByRole('button', { name: 'Switch' }).click();
  await person.see(info.getByText('Applies from the next step'));
  const name = /\((.*)\)/.exec(choice)?.[1] ?? 'no model';
  await person.see(info.locator('.facts__row').filter({ hasText: name }));
});

test('the approval policy is set for one conversation', { tag: ['@phone', '@nojs'] }, async ({ person, page, isMobile }) => {
  const hand = handOf(person, page, isMobile);
  await person.createConversation('Say hello [[scenario:hello]]');
  await person.seeStatus('finished');
  await openPanel(hand, page, 'Info');
  const policy = page.locator('.panel').getByLabel('Require approval for');
  await hand.choose(policy, 'Every action');
  await hand.press(page.locator('.panel').getByRole('button', { name: 'Save', exact: true }));
  await expect(async () => {
    await person.reload();
    await expect(policy).toHaveValue('always', { timeout: 1_000 });
  }).toPass();
  await openPanel(hand, page, 'Timeline');
  await hand.fill(page.getByLabel('Message', { exact: true }), 'And now work [[scenario:tools]]');
  await hand.press(page.locator('.composer__send'));
  await person.see(page.getByRole('button', { name: 'Approve' }).first());
});

test.describe('at a slow pace', () => {
  // 300 ms per word.
  test.use({ serverArgs: ['--rehearsal', '1.x', '--rehearsal-pace', '3000'] });
  test('a reply is read while the model writes it, and stands there once afterwards', { tag: ['@phone-all'] }, async ({ person, page }) => {
    await person.createConversation('hello [[scenario:hello]]');
    const draft = page.locator('.timeline .row[aria-busy="true"]');
    await expect(draft).toContainText('writing…', { timeout: 40_000 });
    // Every text that is drawn until the reply is complete.
    const drawn = await page.evaluate(() => new Promise<string[]>((resolve) => {
      const texts: string[] = [];
      const check = () => {
        const text = document.querySelector('.timeline .row[aria-busy="true"] .row__text')?.textContent ?? undefined;
        if (text !== undefined && text !== texts.at(-1)) texts.push(text);
        if (text === undefined) {
          observer.disconnect();
          resolve(texts);
        }
      };
      const observer = new MutationObserver(check);
      observer.observe(document.body, { subtree: true, childList: true, characterData: true });
      check();
    }));
    expect(drawn.length).toBeGreaterThan(2);
    for (const [at, text] of drawn.slice(1).entries()) expect(text.startsWith(drawn[at] ?? '')).toBe(true);
    await person.seeStatus('finished');
    await expect(draft).toHaveCount(0);
    const reply = person.row('Say anything and I will finish.');
    await expect(reply).toHaveCount(1);
    await expect(reply.locator('strong')).toHaveText('rehearsal agent');
  });
});
