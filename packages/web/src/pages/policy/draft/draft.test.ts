import { expect, it } from 'vitest'
import type { Document, Policy } from '../document/document.ts'
import { afterSave, type Draft } from './draft.ts'

const rule = (name: string, id?: string) => ({ name, ...(id && { id }) })
const draft = (name: string, rules = [rule('Refunds', 'r1')], text?: string) =>
  ({ base: { version: 4 }, document: { name, rules } as unknown as Document, text }) as Draft
const saved = { version: 5, rules: [rule('Refunds', 'r1'), rule('Mails', 'r2')] } as unknown as Policy

it('ends a draft that was saved', () => {
  const before = draft('Desk')
  expect(afterSave(before, before, saved)).toBeUndefined()
  expect(afterSave(undefined, before, saved)).toBeUndefined()
})

it('keeps what was typed while the save ran, on top of the saved version', () => {
  expect(afterSave(draft('Desk of Oslo'), draft('Desk'), saved)).toMatchObject({
    base: { version: 5 },
    document: { name: 'Desk of Oslo' },
  })
  const before = draft('Desk')
  expect(afterSave({ ...before, text: '{' }, before, saved)).toMatchObject({ base: { version: 5 }, text: '{' })
})

it('gives a rule that was new the id that the save gave it', () => {
  const before = draft('Desk', [rule('Refunds', 'r1'), rule('Mails')])
  const now = draft('Desk', [rule('Refunds', 'r1'), rule('Mails to all'), rule('Files')])
  expect(afterSave(now, before, saved)?.document.rules).toEqual([
    rule('Refunds', 'r1'),
    rule('Mails to all', 'r2'),
    rule('Files'),
  ])
})
