import { Fragment, memo, useMemo, useState } from 'react'
import { Button } from '../../ui/actions/button.tsx'
import { NewRows, useHeldRows } from '../../ui/lists/held-rows.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Phrase } from '../../ui/texts/direction/phrase.tsx'
import { Glyph } from '../../ui/texts/glyph.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { exactTime, timeZone } from '../../words/times.ts'
import css from './audit.module.css'
import { EntryDetails } from './entry-details.tsx'
import { type Entry, sentenceOf } from './entry-sentence.ts'
import { type Gap, gapsOf, gapText } from './gaps.ts'

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const day = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })

/** The id of an entry's row. */
export const rowId = (entryId: string) => `entry-${entryId}`

interface EntriesProps {
  entries: readonly Entry[]
  names: Record<string, string>
  /** Names the filters of the list. */
  of: string
  /** Why the list may leave out entries. */
  whyGaps: string
}

/** The entries, newest first, under the day on which they were written. New entries wait until the reader wants them. */
export function Entries({ entries: all, names, of, whyGaps }: EntriesProps) {
  const { shown: entries, waiting, show } = useHeldRows(all, of)
  const gaps = useMemo(() => gapsOf(entries), [entries])
  return (
    <>
      <NewRows waiting={waiting} one="entry" other="entries" show={show} />
      <section className={css.scroller} aria-label="Entries, newest first">
        <table className={css.entries}>
          <thead>
            <tr>
              <th scope="col">Time, {timeZone()}</th>
              <th scope="col">What happened</th>
              <th scope="col" className={css.event}>
                Event
              </th>
              <th scope="col" className={css.seq}>
                Entry
              </th>
              <th scope="col">
                <span className="hidden-text">Details</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {entries.map((entry, index) => {
              const today = day.format(new Date(entry.created_at))
              const before = entries[index - 1]
              const isNewDay = !before || day.format(new Date(before.created_at)) !== today
              return (
                <Fragment key={entry.id}>
                  {isNewDay && (
                    <tr className={css.day}>
                      <th scope="colgroup" colSpan={5}>
                        {today}
                      </th>
                    </tr>
                  )}
                  <EntryRows entry={entry} names={names} />
                  <GapRow gap={gaps.get(entry.id)} why={whyGaps} />
                </Fragment>
              )
            })}
          </tbody>
        </table>
      </section>
    </>
  )
}

/** Says which entries are not in the list, where their numbers are skipped. */
function GapRow({ gap, why }: { gap: Gap | undefined; why: string }) {
  if (!gap) return null
  return (
    <tr className={css.gap}>
      <td colSpan={5}>
        {gapText(gap)} hidden: {why}.
      </td>
    </tr>
  )
}

const EntryRows = memo(({ entry, names }: { entry: Entry; names: Record<string, string> }) => {
  const [isOpen, setOpen] = useState(false)
  const { glyph, isBad, actor, before, object, objectTo, objectSearch, after, link } = sentenceOf(entry, names)
  const number = entry.seq ?? 'not sealed yet'
  return (
    <>
      <tr id={rowId(entry.id)} className={isOpen ? css['is-open'] : undefined}>
        <td className={css.time}>
          <time dateTime={entry.created_at} title={exactTime(entry.created_at)}>
            {clock.format(new Date(entry.created_at))}
          </time>
        </td>
        <td className={css.sentence}>
          <span className={isBad ? css.bad : css.glyph}>
            <Glyph name={glyph} />
          </span>
          <span>
            <Phrase>{actor}</Phrase> <Phrase>{before}</Phrase>{' '}
            {object && (
              <b>
                {objectTo ? (
                  <PageLink to={objectTo} {...(objectSearch && { search: objectSearch })}>
                    <Name>{object}</Name>
                  </PageLink>
                ) : (
                  <Name>{object}</Name>
                )}
              </b>
            )}
            <Phrase>{after}</Phrase>
            {link && (
              <>
                {' '}
                <PageLink to={link.to} {...(link.search && { search: link.search })}>
                  {link.text}
                </PageLink>
              </>
            )}
          </span>
        </td>
        <td className={css.event}>
          <code>{entry.event_type}</code>
        </td>
        <td className={css.seq}>{entry.seq ?? '–'}</td>
        <td className={css.raw}>
          <Button
            look="plain icon"
            name={`Details of entry ${number}, ${entry.event_type}`}
            isExpanded={isOpen}
            onPress={() => setOpen(!isOpen)}
          >
            <Glyph name={isOpen ? 'down' : 'chev'} />
          </Button>
        </td>
      </tr>
      {isOpen && (
        <tr className={css.rawrow}>
          <td colSpan={5}>
            <EntryDetails entry={entry} names={names} />
          </td>
        </tr>
      )}
    </>
  )
})
EntryRows.displayName = 'EntryRows'
