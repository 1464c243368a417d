// What pages promise about a real server of 1.x, and what the server then stores and does.
import { type Person } from '../fixtures.ts';
import { GREETING } from './scenes.ts';
import {
  FOLDER,
  IS_AGENT_SERVER,
  IS_APP_SERVER,
  SETTINGS,
  askBeforeActions,
  changeSettings,
  createConversationIn,
  expect,
  expectNothingLostNorDoubled,
  get,
  stored,
  test,
} from './real.ts';

/** Command of a program of ACP, its words separated by blanks. */
const ACP = process.env.HANDRAIL_LIVE_ACP ?? '';

test.skip(!IS_AGENT_SERVER && !IS_APP_SERVER, 'only a server of 1.x: that of 0.62 is in the other files');
test.beforeEach(({ watch }) => watch.allow(/ERR_CONNECTION_REFUSED|WebSocket connection|status of [45]\d\d/));

/** Starts a conversation with a scene. */
async function start(person: Person, name: string): Promise<string> {
  await createConversationIn(person, 'Please work.', name, { ws: FOLDER });
  return person.conversation;
}

/** What became of a command, according to the log of the server. */
const results = async (id: string) => (await stored(id)).filter((event) => ['ObservationEvent', 'UserRejectObservation'].includes(event.kind)).map((event) => event.kind);

test('every action waits if the page says so, and the export says what became of each', async ({ person, page }) => {
  await askBeforeActions(person);
  const id = await start(person, 'confirm');
  await person.see(person.approval('echo harmless'));
  expect(await results(id), 'nothing ran unasked').toEqual([]);
  await person.reject('echo harmless', 'Not this one');
  await person.see(person.approval('rm -rf'));
  expect(await results(id)).toEqual(['UserRejectObservation']);
  const document = await (await page.request.get(`/c/${id}/export.md`)).text();
  const before = (command: string) => document.slice(0, document.indexOf(command)).split('\n### ').at(-1);
  expect(before('echo harmless')).toContain('**Rejected:** Not this one');
  expect(before('rm -rf')).toContain('**Waiting for approval**');
  await expectNothingLostNorDoubled(person);
});

test('an agent starts without the key of a model, and has tools and secrets', async ({ person, page }) => {
  const { agent_settings: agent } = await get(SETTINGS);
  const { model, base_url } = agent.llm;
  try {
    await changeSettings({ agent_settings_diff: { llm: { model: 'hosted_vllm/fake-model', base_url, api_key: null } }, conversation_settings_diff: { confirmation_mode: false } });
    expect((await get(SETTINGS))[IS_APP_SERVER ? 'llm_api_key_set' : 'llm_api_key_is_set']).toBe(false);
    await person.open('/settings');
    await page.getByLabel('Name', { exact: true }).last().fill('MY_TOKEN');
    await page.getByLabel('Value').fill('hush-hush');
    await page.getByRole('button', { name: 'Save secret' }).click();
    await person.see(page.getByText('MY_TOKEN', { exact: true }));
    const id = await start(person, 'secret');
    await person.seeStatus('finished');
    // A value that has reached the agent is masked in what it prints; an unknown variable prints nothing.
    expect(JSON.stringify(await stored(id))).toContain('the secret is <secret-hidden>');
    await person.see(person.row('the secret is <secret-hidden>'));
    await person.view('Changes');
    await expect(page.locator('.panel')).not.toContainText(/could not find|API route/);
    await expectNothingLostNorDoubled(person);
  } finally {
    await changeSettings({ agent_settings_diff: { llm: { model, base_url, api_key: 'sk-none' } } });
    await person.open('/settings');
    await page.getByRole('button', { name: 'Remove secret MY_TOKEN' }).click();
    await expect(page.getByText('MY_TOKEN', { exact: true })).toHaveCount(0);
  }
});

test('a program of ACP is said to ask nobody; its settings are saved, and it is offered nothing that has no effect', async ({ person, page }) => {
  test.skip(!IS_AGENT_SERVER || ACP === '', 'HANDRAIL_LIVE_ACP names no program');
  const { agent_settings: agent } = await get(SETTINGS);
  const { model, base_url } = agent.llm;
  try {
    await changeSettings({ agent_settings_diff: { agent_kind: 'acp', acp_server: 'custom', acp_command: ACP.split(' ') } });
    await person.open('/settings');
    await person.see(page.getByText('asks nobody'));
    await page.getByLabel('Max steps').fill('88');
    await page.getByRole('button', { name: 'Save settings' }).click();
    await expect(page.getByText('Saved', { exact: true })).toBeVisible();
    expect((await get(SETTINGS)).conversation_settings.max_iterations).toBe(88);
    await person.open('/new');
    await person.see(page.getByText('asks nobody'));
    await start(person, 'chat');
    await person.seeStatus('finished');
    const info = await person.view('Info');
    await expect(info).toContainText('asks nobody');
    for (const offered of ['Require approval for', 'Question']) await expect(info.getByLabel(offered)).toHaveCount(0);
    await person.open(`/c/${person.conversation}?panel=model`);
    await person.see(page.locator('.panel').getByText('program of its own'));
    await person.view('Timeline');
    await expectNothingLostNorDoubled(person);
  } finally {
    await changeSettings({ agent_settings_diff: { agent_kind: 'openhands', llm: { model, base_url, api_key: 'sk-none' } } });
  }
});

test('the first message is sent once, though the list is read while its conversation is created', async ({ person, page, another, handrail }) => {
  test.skip(!IS_APP_SERVER, 'an agent-server creates a conversation at once');
  const reader = await another();
  await reader.open('/');
  await reader.page.evaluate(() => setInterval(() => void fetch('/').catch(() => undefined), 500));
  const id = await start(person, 'chat');
  await person.see(person.row(GREETING));
  await person.seeStatus('finished');
  const waiting = page.locator('[data-delivery]');
  await expect(waiting).toHaveCount(0);
  await page.getByText('Actions', { exact: true }).click();
  await page.getByRole('button', { name: 'Stop sandbox' }).click();
  await person.see(page.getByText('Sandbox paused.'));
  await page.getByRole('button', { name: 'Resume sandbox' }).click();
  await expect(page.getByText('Sandbox paused.')).toHaveCount(0, { timeout: 60_000 });
  await handrail.restart();
  await person.reload();
  await expect(waiting).toHaveCount(0);
  await expect(person.row('Please work.')).toHaveCount(1);
  const messages = (await stored(id)).filter(({ kind, source }) => kind === 'MessageEvent' && source === 'user');
  expect(messages).toHaveLength(1);
  await expectNothingLostNorDoubled(person);
});

test('the page for new conversations tells the rule of this server', async ({ person, page }) => {
  await person.open('/new');
  await expect(page.getByText('pauses the oldest')).toHaveCount(IS_APP_SERVER ? 1 : 0);
  await expect(page.getByText('stops the oldest')).toHaveCount(0);
});
