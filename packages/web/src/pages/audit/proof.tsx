import type { Schema } from '@mandate/sdk'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { serverUrl } from '../../api/server-url.ts'
import { Copy, shortDigest } from '../../ui/actions/copy.tsx'
import { useWidth } from '../../ui/browser/use-width.ts'
import { State } from '../../ui/page/state.tsx'
import { Time } from '../../ui/texts/time.tsx'
import { verifyTrail } from '../../words/commands.ts'
import { counted } from '../../words/words.ts'
import css from './audit.module.css'
import { verificationLook, verificationNote } from './words.ts'

type Proof = Schema<'AuditProof'>

/** What proves the trail: the last verification, the head of the chain, and the hours that are sealed. */
export function ProofBox({ proof }: { proof: Proof }) {
  const { data: signing } = useQuery(read('getSigningKey'))
  const key = signing?.keys[0]?.kid
  const { last_verification: last, head } = proof
  return (
    <section className={css.proof} aria-labelledby="proof">
      <header>
        <h2 id="proof">Proof</h2>
        <State {...verificationLook(proof)} />
        {last && (
          <span className={css.note}>
            <Time at={last.at} />, {verificationNote(proof)}
          </span>
        )}
        {head && (
          <span className={css.head}>
            Head{' '}
            <Copy
              what="head of the chain"
              value={`${head.seq}:${head.chain_hash}`}
              shown={shortDigest(head.chain_hash)}
            />
          </span>
        )}
      </header>
      <Hours hours={proof.hours} />
      <p className={css.note}>
        A filled block is an hour whose entries are all sealed by a signed checkpoint. A line is an hour without
        entries.
      </p>
      <p className={css.note}>
        Anyone can check an export of the whole trail offline: <code>{verifyTrail(serverUrl())}</code>. The command
        reads the public key from this server. Note the fingerprint of the key now
        {key !== undefined && (
          <>
            , <Copy what="fingerprint of the signing key" value={key} />
          </>
        )}
        , keep it outside of this server, and compare it with <code>signed_by</code> in the result of each check.
      </p>
    </section>
  )
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const gap = 4

/** One block for each of the last 24 hours. Its height is the share of the busiest hour. */
function Hours({ hours }: Pick<Proof, 'hours'>) {
  const [ref, width] = useWidth<SVGSVGElement>()
  const step = width / Math.max(1, hours.length)
  const most = Math.max(1, ...hours.map(({ entries }) => entries))
  const every = step < 30 ? 6 : 3
  const total = hours.reduce((sum, { entries }) => sum + entries, 0)
  const open = hours.reduce((sum, { entries, sealed }) => sum + entries - sealed, 0)
  const label = `Entries in the last 24 hours: ${counted(total, '# entry', '# entries')}, ${counted(open, '# not sealed yet', '# not sealed yet')}`
  return (
    <svg ref={ref} className={css.hours} role="img" aria-label={label}>
      {hours.map(({ start, entries, sealed }, index) => {
        const x = index * step
        const isLast = index === hours.length - 1
        const height = entries === 0 ? 0 : Math.max(4, (20 * entries) / most)
        return (
          <g key={start}>
            <title>{`${clock.format(new Date(start))}: ${counted(entries, '# entry', '# entries')}, ${sealed} sealed`}</title>
            {entries === 0 ? (
              <rect className={css.none} x={x} y={20} width={Math.max(0, step - gap)} height={2} />
            ) : (
              <rect
                className={sealed === entries ? css.sealed : css.open}
                x={x + 0.5}
                y={22.5 - height}
                width={Math.max(0, step - gap - 1)}
                height={height - 1}
              />
            )}
            {(isLast || (index % every === 0 && hours.length - index > every - 1)) && (
              <text
                x={index === 0 ? 0 : isLast ? width : x + (step - gap) / 2}
                y={38}
                textAnchor={index === 0 ? 'start' : isLast ? 'end' : 'middle'}
              >
                {isLast ? 'now' : clock.format(new Date(start))}
              </text>
            )}
          </g>
        )
      })}
    </svg>
  )
}
