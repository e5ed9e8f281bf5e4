import { expect, it } from 'vitest'
import { newId } from '../db/ids/new-id.ts'
import { useOwnServer } from '../testing/use-test-server.ts'
import { expireEvents } from './expire-events.ts'
import { slotOf, slots } from './slots.ts'

const server = useOwnServer()

/** Inserts a row into each partition. Returns the number of the current one. */
async function fillSlots(): Promise<number> {
  await server.owner.query('truncate events')
  await server.owner.query(
    `insert into events (tenant_id, slot, id, place, xact_id, snapshot, stored_at, at, type, audience, is_audited, resource_type, resource_id)
     select $1, slot, gen_random_uuid(), slot, pg_current_xact_id(), pg_current_snapshot(), now(), now(), 'edge.silent', 'edge', false, 'edge', $1
     from generate_series(0, ${slots - 1}) slot`,
    [newId()],
  )
  const { rows } = await server.owner.query(`select ${slotOf('now()')} as slot`)
  return rows[0].slot
}

const storedSlots = async () =>
  (await server.owner.query('select slot from events order by slot')).rows.map(({ slot }) => slot as number)

async function expire(): Promise<void> {
  const owner = await server.owner.connect()
  await expireEvents(owner).finally(() => owner.release())
}

it('empties only the partition that is used next', async () => {
  const current = await fillSlots()
  await expire()
  const expected = Array.from({ length: slots }, (_, slot) => slot).filter((slot) => slot !== (current + 1) % slots)
  expect(await storedSlots()).toEqual(expected)
  await expire()
  expect(await storedSlots()).toEqual(expected)
})

it('leaves the partition to the next run while a statement uses it', async () => {
  await fillSlots()
  const reader = await server.owner.connect()
  await reader.query('begin')
  await reader.query('select count(*) from events')
  await expire()
  await reader.query('rollback')
  reader.release()
  expect(await storedSlots()).toHaveLength(slots)
  await expire()
  expect(await storedSlots()).toHaveLength(slots - 1)
})
