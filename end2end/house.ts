// A Handrail with several people: how they get in.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { type Person, expect } from './fixtures.ts';
import { BEHIND } from './front.ts';
import type { Handrail } from './server.ts';

export const PASSWORD = 'correct horse';

/** Becomes owner with the code that the server has left. Behind a proxy, where nobody can do that, on the command line. */
export async function setUp(page: Page, handrail: Handrail): Promise<void> {
  if (BEHIND) {
    await handrail.makeOwner();
    await page.goto('/login');
    return logIn(page, 'ada');
  }
  await page.goto('/');
  await page.waitForURL('**/set-up');
  const code = await readFile(path.join(handrail.dataDir, 'set-up-code'), 'utf8');
  await page.getByLabel('Set-up code').fill(code.trim());
  await page.getByLabel('Your name').fill('ada');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Become owner' }).click();
  await page.waitForURL(/\/$/);
}

/** Logs in on the page that asks for it. */
export async function logIn(page: Page, name: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL((url) => !url.pathname.endsWith('/login'));
}

/** Lets somebody in. */
export async function add(page: Page, name: string, role: string): Promise<void> {
  const form = page.locator('.card').filter({ has: page.getByRole('heading', { name: 'Let somebody in' }) });
  await form.getByLabel('Name').fill(name);
  await form.getByLabel('Role').selectOption(role);
  await form.getByLabel('First password').fill(PASSWORD);
  await form.getByRole('button', { name: 'Add' }).click();
  await expect(page.getByRole('listitem').filter({ hasText: name })).toContainText(role);
}

/** The owner, with three more people let in. */
export async function everybody(person: Person, handrail: Handrail): Promise<void> {
  await setUp(person.page, handrail);
  await person.open('/people');
  for (const [name, role] of [['vera', 'viewer'], ['alan', 'approver'], ['olga', 'operator']] as const) {
    await add(person.page, name, role);
  }
}
