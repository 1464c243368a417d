// The description of the API, judged by a validator that is not ours.

import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { Validator } from '@seriousme/openapi-schema-validator';

test('the description of the API is a valid OpenAPI document', async () => {
  const text = readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8');
  const document = JSON.parse(text) as { openapi: string; paths: Record<string, Record<string, unknown>> };
  const { valid, errors } = await new Validator().validate(document);
  expect(errors ?? [], text.slice(0, 200)).toEqual([]);
  expect(valid).toBe(true);
  expect(document.openapi).toMatch(/^3\.1/);
  // It would find a fault.
  const damaged = structuredClone(document);
  damaged.paths['/inbox'] = { get: { parameters: [{ name: 'x', in: 'nowhere' }] } };
  expect((await new Validator().validate(damaged)).valid).toBe(false);
});
