// A Handrail with several users: set-up and login.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { type Person, expect } from './fixtures.ts';
import { BEHIND } from './front.ts';
import type { Handrail } from './server.ts';

export const PASSWORD = 'correct horse';

/**
 * Creates the owner with the server's set-up code; behind a proxy, where the page does not allow that, on the command
 * line.
 */
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
  await page.getByRole('button', { name: 'Create owner account' }).click();
  await page.waitForURL(/\/$/);
}

/** Logs in on the login page. */
export async function logIn(page: Page, name: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.waitForURL((url) => !url.pathname.endsWith('/login'));
}

/** Adds a user. */
export async function add(page: Page, name: string, role: string): Promise<void> {
  const form = page.locator('.card').filter({ has: page.getByRole('heading', { name: 'Add a person' }) });
  await form.getByLabel('Name').fill(name);
  await form.getByLabel('Role').selectOption(role);
  await form.getByLabel('Initial password').fill(PASSWORD);
  await form.getByRole('button', { name: 'Add' }).click();
  await expect(page.getByLabel(`Role of ${name}`, { exact: true })).toHaveValue(role);
}

/** Sets up the owner and three more users. */
export async function everybody(person: Person, handrail: Handrail): Promise<void> {
  await setUp(person.page, handrail);
  await person.open('/people');
  for (const [name, role] of [['vera', 'viewer'], ['alan', 'approver'], ['olga', 'operator']] as const) {
    await add(person.page, name, role);
  }
}
