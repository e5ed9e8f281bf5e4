import { generateKeyPairSync, sign } from 'node:crypto'
import type { AuditCheckpoint, AuditExportEnd, AuditSeal, SealableEntry } from '@mandate/contract/audit/audit-chain'
import { checkpointText, entryHash, keyId, nextChainHash } from '@mandate/proofs/audit-chain'
import type pg from 'pg'
import { sealableJson } from '../audit/entry-json.ts'

/** A line of an exported audit file that a test can change. */
export type Line =
  | { checkpoint: AuditCheckpoint }
  | { withheld: { seq: number; entry_hash: string } }
  | { end: AuditExportEnd }
  | (SealableEntry & { seal: AuditSeal })

/**
 * The database in which a test changes an audit trail. Every trail has six entries, which were sealed in three batches of two.
 */
export interface TamperedDatabase {
  db: pg.Pool
  /** Id of the tenant whose trail is changed. */
  id: string
  /** Id of a second tenant. Its trail has the same size: six entries, which were sealed in three batches. */
  otherId: string
}

/** The exported audit file that a test changes. */
export interface TamperedFile {
  lines: Line[]
  /** An older export of the same tenant's trail, from the time when the trail had four entries. */
  older: Line[]
  /** An export of another tenant's trail. */
  other: Line[]
}

/** A way to change a sealed trail, which the verification should detect. */
export interface Tampering {
  title: string
  /** Changes the trail in the database. */
  database: (given: TamperedDatabase) => Promise<unknown>
  /**
   * Makes the same change in an exported audit file. Returns the changed lines or the changed text. Undefined if the change is
   * not possible in an exported file.
   */
  file?: (given: TamperedFile) => Line[] | string
  /** If true, the verification also gets the head (the last place of the chain) that was saved before the tampering. */
  isHeadNoted?: boolean
  /** True if the verification cannot detect the change and reports a valid trail. */
  isUndetectable?: boolean
}

const inTail = 'tenant_id = $1 and seq > 4'
const idAt = (seq: number) => `(select entry_id from audit_seals where tenant_id = $1 and seq = ${seq})`
const deleteEntry = (seq: number) => `delete from audit_entries where tenant_id = $1 and id = ${idAt(seq)}`
const deleteTailEntries = `delete from audit_entries where tenant_id = $1 and id in (select entry_id from audit_seals where ${inTail})`

const run =
  (...statements: string[]) =>
  async ({ db, id }: TamperedDatabase) => {
    for (const statement of statements) await db.query(statement, [id])
  }

export const isEntry = (line: Line): line is SealableEntry & { seal: AuditSeal } => 'seal' in line
const seqOf = (line: Line) =>
  isEntry(line) ? line.seal.seq : 'checkpoint' in line ? line.checkpoint.seq : 'end' in line ? 0 : line.withheld.seq
const isEnd = (line: Line) => 'end' in line

/** Removes the lines for which `isGone` returns true. */
const without = (lines: Line[], isGone: (line: Line) => boolean) => lines.filter((line) => !isGone(line))
const entryAt = (lines: Line[], seq: number) =>
  lines.filter(isEntry).find((line) => line.seal.seq === seq) as SealableEntry & {
    seal: AuditSeal
  }
const checkpointAt = (lines: Line[], seq: number) =>
  (lines.find((line) => 'checkpoint' in line && line.checkpoint.seq === seq) as { checkpoint: AuditCheckpoint })
    .checkpoint
const withholding =
  (seq: number) =>
  ({ lines }: TamperedFile) =>
    lines.map((line) =>
      isEntry(line) && line.seal.seq === seq ? { withheld: { seq, entry_hash: line.seal.entry_hash } } : line,
    )
const changingEntry =
  (change: (entry: SealableEntry) => void) =>
  ({ lines }: TamperedFile) => {
    change(entryAt(lines, 3))
    return lines
  }
const changingSeal =
  (seq: number, change: Partial<AuditSeal>) =>
  ({ lines }: TamperedFile) => {
    Object.assign(entryAt(lines, seq).seal, change)
    return lines
  }
const changingCheckpoint =
  (seq: number, change: (checkpoint: AuditCheckpoint) => Partial<AuditCheckpoint>) =>
  ({ lines }: TamperedFile) => {
    const checkpoint = checkpointAt(lines, seq)
    Object.assign(checkpoint, change(checkpoint))
    return lines
  }
const updateEntry = (change: string) =>
  run(`update audit_entries set ${change} where tenant_id = $1 and id = ${idAt(3)}`)
const updateCheckpoint = (seq: number, change: string) =>
  run(`update audit_checkpoints set ${change} where tenant_id = $1 and seq = ${seq}`)
const updateSeal = (seq: number, change: string) =>
  run(`update audit_seals set ${change} where tenant_id = $1 and seq = ${seq}`)

const strangeHash = 'ab'.repeat(32)
const strangeId = '01900000-0000-7000-8000-0000000000aa'
const stranger = generateKeyPairSync('ed25519')
const strangerPem = stranger.publicKey.export({ type: 'spki', format: 'pem' }) as string

function signByStranger(checkpoint: AuditCheckpoint): AuditCheckpoint {
  const signature = sign(null, Buffer.from(checkpointText(checkpoint)), stranger.privateKey).toString('base64')
  return { ...checkpoint, kid: keyId(strangerPem), signature }
}

/** SQL that inserts a forged audit entry: a copy of the trail's fourth entry, with `id` as its id. */
const copyEntry = (id: string) => `
  insert into audit_entries select (r).* from (select jsonb_populate_record(e, jsonb_build_object('id', '${id}')) as r
    from audit_entries e where tenant_id = $1 and id = ${idAt(4)}) x`

async function rewriteChain({ db, id }: TamperedDatabase, entries: SealableEntry[]): Promise<void> {
  let chain = '0'.repeat(64)
  for (const [index, entry] of entries.entries()) {
    const [seq, hash] = [index + 1, entryHash(entry)]
    chain = nextChainHash(chain, seq, hash)
    await db.query(
      `update audit_seals set entry_hash = decode($3, 'hex'), chain_hash = decode($4, 'hex') where tenant_id = $1 and seq = $2`,
      [id, seq, hash, chain],
    )
    const later = `set chain_hash = decode($3, 'hex') where tenant_id = $1 and seq = $2`
    await db.query(`update audit_checkpoints ${later}`, [id, seq, chain])
    await db.query(`update audit_heads ${later}`, [id, seq, chain])
  }
}

function rewriteLines(lines: Line[]): Line[] {
  let chain = '0'.repeat(64)
  for (const line of lines) {
    if (isEntry(line)) {
      line.actor.name = 'forged'
      const entry_hash = entryHash(line)
      chain = nextChainHash(chain, line.seal.seq, entry_hash)
      Object.assign(line.seal, { entry_hash, chain_hash: chain })
    } else if ('checkpoint' in line) line.checkpoint.chain_hash = chain
  }
  return lines
}

const swapCheckpoints = `
  update audit_checkpoints c set chain_hash = o.chain_hash, kid = o.kid, signature = o.signature, signed_at = o.signed_at,
    previous_seq = o.previous_seq
  from audit_checkpoints o
  where c.tenant_id = $1 and o.tenant_id = $1 and c.seq in (2, 4) and o.seq = 6 - c.seq`

const swapContents = `
  update audit_entries e set event_type = o.event_type, details = o.details, resource_id = o.resource_id,
    resource_name = o.resource_name, created_at = o.created_at
  from audit_entries o where e.tenant_id = $1 and o.tenant_id = $1
    and (e.id, o.id) in ((${idAt(3)}, ${idAt(4)}), (${idAt(4)}, ${idAt(3)}))`

/** All ways of tampering that are tested, in the database and in an exported file. */
export const tamperings: readonly Tampering[] = [
  { title: 'nothing', database: async () => {}, file: ({ lines }) => lines, isUndetectable: true },
  ...[1, 3, 6].map((seq): Tampering => {
    const which = seq === 1 ? 'first' : seq === 6 ? 'last' : 'middle'
    return {
      title: `the ${which} entry is removed and its hash is kept (in a file: it is marked as withheld)`,
      database: run(deleteEntry(seq)),
      file: withholding(seq),
    }
  }),
  ...[1, 3, 6].map((seq): Tampering => {
    const which = seq === 1 ? 'first' : seq === 6 ? 'last' : 'middle'
    return {
      title: `the ${which} entry is removed with its seal`,
      database: run(deleteEntry(seq), `delete from audit_seals where tenant_id = $1 and seq = ${seq}`),
      file: ({ lines }) => without(lines, (line) => isEntry(line) && line.seal.seq === seq),
    }
  }),
  {
    title: 'the tail is cut at a checkpoint and the head is kept',
    database: run(
      deleteTailEntries,
      `delete from audit_seals where ${inTail}`,
      `delete from audit_checkpoints where ${inTail}`,
    ),
    file: ({ lines }) => without(lines, (line) => seqOf(line) > 4),
  },
  {
    title: 'the tail is cut at a checkpoint and the head is removed',
    database: run(
      deleteTailEntries,
      `delete from audit_seals where ${inTail}`,
      `delete from audit_checkpoints where ${inTail}`,
      'delete from audit_heads where tenant_id = $1',
    ),
    file: ({ lines }) => without(lines, (line) => seqOf(line) > 4 || isEnd(line)),
  },
  ...[false, true].map(
    (isHeadNoted): Tampering => ({
      title: `everything is set back to an earlier state, also the head (in a file: an older export)${isHeadNoted ? ', verified with a noted head' : ''}`,
      database: run(
        deleteTailEntries,
        `delete from audit_seals where ${inTail}`,
        `delete from audit_checkpoints where ${inTail}`,
        `update audit_heads set seq = 4, chain_hash = (select chain_hash from audit_seals where tenant_id = $1 and seq = 4)
       where tenant_id = $1`,
      ),
      file: ({ older }) => older,
      isHeadNoted,
      isUndetectable: !isHeadNoted,
    }),
  ),
  {
    title: 'the beginning is cut up to a checkpoint',
    database: run(
      'delete from audit_entries where tenant_id = $1 and id in (select entry_id from audit_seals where tenant_id = $1 and seq < 3)',
      'delete from audit_seals where tenant_id = $1 and seq < 3',
    ),
    file: ({ lines }) => without(lines, (line) => isEntry(line) && line.seal.seq < 3),
  },
  {
    title: 'two entries are swapped',
    database: run(swapContents),
    file: ({ lines }) => {
      const [one, two] = [{ ...entryAt(lines, 3) }, { ...entryAt(lines, 4) }]
      Object.assign(entryAt(lines, 3), two, { seal: one.seal })
      Object.assign(entryAt(lines, 4), one, { seal: two.seal })
      return lines
    },
  },
  {
    title: 'two entries are swapped, together with their seals',
    database: run(
      'update audit_seals set seq = -seq where tenant_id = $1 and seq in (3, 4)',
      'update audit_seals set seq = 7 + seq where tenant_id = $1 and seq < 0',
    ),
    file: ({ lines }) => {
      const [one, two] = [entryAt(lines, 3), entryAt(lines, 4)]
      one.seal.seq = 4
      two.seal.seq = 3
      return lines.map((line) => (line === one ? two : line === two ? one : line))
    },
  },
  {
    title: 'an entry is duplicated at the end under a new id',
    database: run(
      copyEntry(strangeId),
      `insert into audit_seals select tenant_id, 7, '${strangeId}', entry_hash, chain_hash, sealed_at
       from audit_seals where tenant_id = $1 and seq = 4`,
      'update audit_heads set seq = 7 where tenant_id = $1',
    ),
    file: ({ lines }) => {
      const copy = { ...entryAt(lines, 4), id: strangeId }
      return [...lines.slice(0, -1), { ...copy, seal: { ...copy.seal, seq: 7 } }, ...lines.slice(-1)]
    },
  },
  {
    title: 'the actor is changed',
    database: updateEntry(`actor_name = 'somebody else'`),
    file: changingEntry((entry) => {
      entry.actor.name = 'somebody else'
    }),
  },
  {
    title: 'the event is changed',
    database: updateEntry(`event_type = 'user.removed'`),
    file: changingEntry((entry) => {
      entry.event_type = 'user.removed'
    }),
  },
  {
    title: 'the resource is changed',
    database: updateEntry(`resource_id = '${strangeId}'`),
    file: changingEntry((entry) => {
      entry.resource.id = strangeId
    }),
  },
  {
    title: 'the time is changed',
    database: updateEntry(`created_at = created_at - interval '1 day'`),
    file: changingEntry((entry) => {
      entry.created_at = '2020-01-01T00:00:00.000Z'
    }),
  },
  {
    title: 'the address of the caller is changed',
    database: updateEntry(`ip = '192.0.2.1'`),
    file: changingEntry((entry) => {
      entry.ip = '192.0.2.1'
    }),
  },
  {
    title: 'a detail is changed',
    database: updateEntry(`details = '{"n": 99}'`),
    file: changingEntry((entry) => {
      entry.details = { n: 99 }
    }),
  },
  {
    title: 'a detail is changed to a number that JSON cannot represent',
    database: updateEntry(`details = '{"n": 1e999}'`),
    file: ({ lines }) => textOf(lines).replace('"details":{"n":3}', '"details":{"n":1e999}'),
  },
  {
    title: 'the event is changed to text with quotes and line breaks',
    database: updateEntry(`event_type = E'a"}\\n{"b'`),
    file: changingEntry((entry) => {
      entry.event_type = 'a"}\n{"b'
    }),
  },
  {
    title: 'the category, which decides who may see the entry, is changed',
    database: updateEntry(`category = 'agent'`),
    file: changingEntry((entry) => {
      entry.category = 'agent'
    }),
  },
  {
    title: 'the hash of an entry is changed',
    database: updateSeal(3, `entry_hash = decode('${strangeHash}', 'hex')`),
    file: changingSeal(3, { entry_hash: strangeHash }),
  },
  {
    title: 'the chain hash of an entry is changed',
    database: updateSeal(3, `chain_hash = decode('${strangeHash}', 'hex')`),
    file: changingSeal(3, { chain_hash: strangeHash }),
  },
  {
    title: 'the chain is rewritten with matching hashes and the old signatures',
    database: async (given) => {
      await given.db.query(`update audit_entries set actor_name = 'forged' where tenant_id = $1`, [given.id])
      const { rows } = await given.db.query(sealedEntries, [given.id])
      await rewriteChain(
        given,
        rows.map(({ entry }) => JSON.parse(entry)),
      )
    },
    file: ({ lines }) => rewriteLines(lines),
  },
  {
    title: 'a signature is changed',
    database: updateCheckpoint(4, `signature = repeat('A', 86) || '=='`),
    file: changingCheckpoint(4, () => ({ signature: `${'A'.repeat(86)}==` })),
  },
  {
    title: 'the key id of a checkpoint is changed',
    database: updateCheckpoint(4, `kid = '0000000000000000'`),
    file: changingCheckpoint(4, () => ({ kid: '0000000000000000' })),
  },
  {
    title: 'the time of a checkpoint is changed',
    database: updateCheckpoint(4, `signed_at = signed_at - interval '1 day'`),
    file: changingCheckpoint(4, () => ({ signed_at: '2020-01-01T00:00:00.000Z' })),
  },
  {
    title: 'the chain hash of a middle checkpoint is changed',
    database: updateCheckpoint(4, `chain_hash = decode('${strangeHash}', 'hex')`),
    file: changingCheckpoint(4, () => ({ chain_hash: strangeHash })),
  },
  {
    title: 'a checkpoint is signed by another key',
    database: async ({ db, id }) => {
      const { rows } = await db.query(checkpointRow, [id, 6])
      const { kid, signature } = signByStranger({ ...rows[0], signed_at: rows[0].signed })
      await db.query('update audit_checkpoints set kid = $2, signature = $3 where tenant_id = $1 and seq = 6', [
        id,
        kid,
        signature,
      ])
    },
    file: changingCheckpoint(6, signByStranger),
  },
  {
    title: 'two checkpoints are swapped',
    database: run(swapCheckpoints),
    file: ({ lines }) => {
      const [two, four] = [{ ...checkpointAt(lines, 2) }, { ...checkpointAt(lines, 4) }]
      Object.assign(checkpointAt(lines, 2), four, { seq: 2 })
      Object.assign(checkpointAt(lines, 4), two, { seq: 4 })
      return lines
    },
  },
  ...[4, 6].map(
    (seq): Tampering => ({
      title: `${seq === 4 ? 'a middle' : 'the last'} checkpoint is removed`,
      database: run(`delete from audit_checkpoints where tenant_id = $1 and seq = ${seq}`),
      file: ({ lines }) => without(lines, (line) => 'checkpoint' in line && line.checkpoint.seq === seq),
    }),
  ),
  {
    title: 'the head is replaced by an older one',
    database: run(
      `update audit_heads set seq = 4, chain_hash = (select chain_hash from audit_seals where tenant_id = $1 and seq = 4)
       where tenant_id = $1`,
    ),
    file: ({ lines, older }) => [...lines.slice(0, -1), ...older.slice(-1)],
  },
  {
    title: 'the head is removed',
    database: run('delete from audit_heads where tenant_id = $1'),
    file: ({ lines }) => lines.slice(0, -1),
  },
  {
    title: 'the head is replaced by the head of another organization',
    database: ({ db, id, otherId }) =>
      db.query(
        'update audit_heads set chain_hash = (select chain_hash from audit_heads where tenant_id = $2) where tenant_id = $1',
        [id, otherId],
      ),
    file: ({ lines, other }) => [...lines.slice(0, -1), ...other.slice(-1)],
  },
  {
    title: 'a checkpoint is replaced by a checkpoint of another organization',
    database: ({ db, id, otherId }) =>
      db.query(
        `update audit_checkpoints c set chain_hash = o.chain_hash, signature = o.signature, signed_at = o.signed_at
         from audit_checkpoints o where c.tenant_id = $1 and o.tenant_id = $2 and c.seq = 6 and o.seq = 6`,
        [id, otherId],
      ),
    file: ({ lines, other }) =>
      lines.map((line) => ('checkpoint' in line && seqOf(line) === 6 ? (other.at(-2) as Line) : line)),
  },
  {
    title: 'the tail is replaced by the tail of another organization',
    database: ({ db, id, otherId }) =>
      db.query(
        `update audit_seals s set entry_hash = o.entry_hash, chain_hash = o.chain_hash
         from audit_seals o where s.tenant_id = $1 and o.tenant_id = $2 and s.seq > 4 and o.seq = s.seq`,
        [id, otherId],
      ),
    file: ({ lines, other }) => [...without(lines, (line) => seqOf(line) > 4 || isEnd(line)), ...other.slice(-4)],
  },
  {
    title: 'an entry with an old date is inserted and queued',
    database: run(copyEntry(strangeId), `insert into audit_unsealed (tenant_id, entry_id) values ($1, '${strangeId}')`),
    file: ({ lines }) => {
      const forged = { ...entryAt(lines, 4), id: strangeId }
      const entry_hash = entryHash(forged)
      const seal = { seq: 3, entry_hash, chain_hash: nextChainHash(entryAt(lines, 2).seal.chain_hash, 3, entry_hash) }
      return lines.toSpliced(3, 0, { ...forged, seal })
    },
  },
  {
    title: 'an entry with an old date is inserted without a queue row (in a file: without a seal)',
    database: run(copyEntry(strangeId)),
    file: ({ lines }) => {
      const { seal: _seal, ...forged } = entryAt(lines, 4)
      return lines.toSpliced(3, 0, { ...forged, id: strangeId } as Line)
    },
  },
  {
    title: 'the trail is emptied',
    database: run(
      'delete from audit_entries where tenant_id = $1',
      'delete from audit_seals where tenant_id = $1',
      'delete from audit_checkpoints where tenant_id = $1',
      'delete from audit_heads where tenant_id = $1',
    ),
    file: () => [],
  },
  {
    title: 'the end is damaged (in a file: the last line is cut in the middle)',
    database: updateCheckpoint(6, 'signature = left(signature, 20)'),
    file: ({ lines }) => textOf(lines).slice(0, -100),
  },
  {
    title: 'a row without an entry is queued (in a file: a second export follows the first)',
    database: run(`insert into audit_unsealed (tenant_id, entry_id) values ($1, '${strangeId}')`),
    file: ({ lines, older }) => [...lines, ...older],
  },
]

export const textOf = (lines: Line[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('')

const sealedEntries = `select ${sealableJson} as entry
  from audit_seals s join audit_entries e on e.tenant_id = s.tenant_id and e.id = s.entry_id where s.tenant_id = $1 order by s.seq`

const checkpointRow = `select tenant_id, seq::int, encode(chain_hash, 'hex') as chain_hash, wire_time(signed_at) as signed,
  previous_seq::int from audit_checkpoints where tenant_id = $1 and seq = $2`
