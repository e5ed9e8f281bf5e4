import type { Schema } from '@mandate/sdk'
import { Fragment } from 'react'
import { counted } from '../../words/words.ts'
import { useWidth } from '../browser/use-width.ts'
import { State, type StateLook } from '../page/state.tsx'
import { effects } from '../page/states.ts'
import css from './diff.module.css'
import { type DiffRow, type DiffSide, diffLines } from './diff-lines.ts'
import { ForeignText } from './foreign-text.tsx'
import { Glyph } from './glyph.tsx'
import { hasHidden } from './hidden-characters.ts'
import { Name } from './name.tsx'

type Effect = Schema<'Rule'>['effect']
type ChangeClass = Schema<'PolicyVersion'>['change_class']

/** What a change does to calls. */
export const changeClasses: Record<ChangeClass, StateLook> = {
  tightens: { glyph: 'down', word: 'Tightens', tone: 'quiet' },
  loosens: { glyph: 'up', word: 'Loosens', tone: 'hold' },
  mixed: { glyph: 'unknown', word: 'May tighten or loosen', tone: 'hold' },
  neutral: { glyph: 'same', word: 'Decides the same', tone: 'quiet' },
}

/** What one entry of a diff does. Of an entry, the server says `loosens` also where it proves nothing. */
const entryClasses = { ...changeClasses, loosens: { ...changeClasses.loosens, word: 'May loosen' } }

export interface Hunk {
  /** What changed, in words: "Rule Refunds: the effect was Deny, is Allow". */
  title: string
  changeClass?: ChangeClass | undefined
  /** What a rule decided, and what it decides, where this differs. */
  was?: Effect | undefined
  is?: Effect | undefined
  before: string
  after: string
}

/** Narrower than this, the two sides are one below the other. */
const sideBySideFrom = 640

export interface DiffProps {
  hunks: readonly Hunk[]
  /** What the whole change does, if the server says so. It has proven this, so a single hunk does the same. */
  whole?: ChangeClass | undefined
  /** The names of the two sides, such as "Version 7". */
  beforeName: string
  afterName: string
}

/** What changed: words first, then lines. Side by side, and as one column where it is narrow. */
export function Diff({ hunks, whole, beforeName, afterName }: DiffProps) {
  const [ref, width] = useWidth<HTMLDivElement>()
  const isWide = width >= sideBySideFrom
  const lookOf = (entry: ChangeClass) => (whole && hunks.length === 1 ? changeClasses[whole] : entryClasses[entry])
  return (
    <div ref={ref} className={css.diff} data-box>
      <table aria-label={`Changes from ${beforeName} to ${afterName}`}>
        <Columns sides={isWide ? 2 : 1} />
        {isWide && (
          <thead>
            <tr>
              <th scope="col" colSpan={3}>
                {beforeName}
              </th>
              <th scope="col" colSpan={3}>
                {afterName}
              </th>
            </tr>
          </thead>
        )}
        {hunks.map((hunk, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: hunks have no id and never move
          <tbody key={index}>
            <tr>
              <th scope="rowgroup" colSpan={isWide ? 6 : 3} className={css.hunk}>
                <span className={css.what}>
                  <span>
                    <Name>{hunk.title}</Name>
                  </span>
                  <EffectChange {...hunk} />
                  {hunk.changeClass && <State {...lookOf(hunk.changeClass)} />}
                </span>
              </th>
            </tr>
            {diffLines(hunk.before, hunk.after).map((row, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no id and never move
              <Fragment key={at}>{isWide ? <Wide row={row} /> : <Narrow row={row} />}</Fragment>
            ))}
          </tbody>
        ))}
      </table>
    </div>
  )
}

/** "was Deny → is Allow" for a rule whose effect changed, or the effect of a rule that was added or removed. */
function EffectChange({ was, is }: Pick<Hunk, 'was' | 'is'>) {
  const before = was && { ...effects[was], word: `was ${effects[was].word}` }
  const after = is && { ...effects[is], word: `is ${effects[is].word}` }
  return (
    <>
      {before && <State {...before} />}
      {before && after && <Glyph name="right" />}
      {after && <State {...after} />}
    </>
  )
}

/** The widths of the columns, because the first row of the table spans them. */
function Columns({ sides }: { sides: 1 | 2 }) {
  return (
    <colgroup>
      {Array.from({ length: sides * 3 }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: columns have no id and never move
        <col key={index} className={[css['col-line'], css['col-sign'], ''][index % 3]} />
      ))}
    </colgroup>
  )
}

const skipped = (lines: number) => counted(lines, '# equal line', '# equal lines')

function Wide({ row }: { row: DiffRow }) {
  if (row.is === 'skipped')
    return (
      <tr>
        <td colSpan={6} className={css.skipped}>
          {skipped(row.lines)}
        </td>
      </tr>
    )
  const isSame = row.is === 'same'
  return (
    <tr>
      {'before' in row ? <Side side={row.before} is={isSame ? 'same' : 'removed'} /> : <Void />}
      {'after' in row ? <Side side={row.after} is={isSame ? 'same' : 'added'} /> : <Void />}
    </tr>
  )
}

const Void = () => <td colSpan={3} className={css.void} />

function Narrow({ row }: { row: DiffRow }) {
  if (row.is === 'skipped')
    return (
      <tr>
        <td colSpan={3} className={css.skipped}>
          {skipped(row.lines)}
        </td>
      </tr>
    )
  if (row.is === 'same')
    return (
      <tr>
        <Side side={row.after} is="same" />
      </tr>
    )
  return (
    <>
      {'before' in row && (
        <tr>
          <Side side={row.before} is="removed" />
        </tr>
      )}
      {'after' in row && (
        <tr>
          <Side side={row.after} is="added" />
        </tr>
      )}
    </>
  )
}

const signs = { same: undefined, removed: ['−', 'removed'], added: ['+', 'added'] } as const

/** Hidden characters are visible. */
const shown = (text: string) => (hasHidden(text) ? <ForeignText text={text} /> : text)

function Side({ side, is }: { side: DiffSide; is: keyof typeof signs }) {
  const Mark = is === 'removed' ? 'del' : 'ins'
  const sign = signs[is]
  return (
    <>
      <td className={`${css.line} ${css[is] ?? ''}`}>{side.line}</td>
      <td className={`${css.sign} ${css[is] ?? ''}`}>
        {sign && (
          <>
            <span aria-hidden="true">{sign[0]}</span>
            <span className="hidden-text">{sign[1]}</span>
          </>
        )}
      </td>
      <td className={`${css.text} ${css[is] ?? ''}`}>
        <bdi>
          {side.parts.map(({ text, isChanged }, index) =>
            // biome-ignore lint/suspicious/noArrayIndexKey: parts have no id and never move
            isChanged ? <Mark key={index}>{shown(text)}</Mark> : <Fragment key={index}>{shown(text)}</Fragment>,
          )}
        </bdi>
      </td>
    </>
  )
}
