import { Fragment } from 'react'
import { Calm } from '../page/page-head.tsx'
import { PageLink, type Search } from '../page/page-link.tsx'
import { Phrase } from './direction/phrase.tsx'

export interface Clause {
  text: string
  /** The page that shows what the clause counts, with its filter. */
  to?: string
  search?: Search
  tone?: 'deny' | 'hold'
  /** The start of the clause, which is not part of the link. */
  start?: string
  /** The end of the clause, which is not part of the link. */
  rest?: string
}

interface SentenceProps {
  /** What waits for the reader. It ends with a full stop. */
  waiting?: readonly Clause[]
  /** What is wrong. */
  wrong?: readonly Clause[]
  /** What should be instead. It is a sentence of its own. */
  instead?: readonly Clause[] | undefined
  /** What is not known. It is a sentence of its own. */
  unknown?: readonly Clause[]
  /** What is fine. */
  fine?: string | undefined
}

/** The sentence of a page: what waits, what is wrong, what is fine. */
export function Sentence({ waiting = [], wrong = [], instead = [], unknown = [], fine }: SentenceProps) {
  return (
    <>
      <Clauses clauses={waiting} />
      <Clauses clauses={wrong} />
      <Clauses clauses={instead} />
      <Clauses clauses={unknown} />
      {fine !== undefined && (
        <Calm>
          <Phrase>{fine}</Phrase>
        </Calm>
      )}
    </>
  )
}

function Clauses({ clauses }: { clauses: readonly Clause[] }) {
  if (clauses.length === 0) return null
  return (
    <>
      {clauses.map((clause, index) => (
        <Fragment key={clause.text}>
          {index > 0 && (index === clauses.length - 1 ? (clauses.length > 2 ? ', and ' : ' and ') : ', ')}
          {clause.start}
          <ClauseText {...clause} />
          {clause.rest && <Phrase>{clause.rest}</Phrase>}
        </Fragment>
      ))}
      {'. '}
    </>
  )
}

function ClauseText({ text, to, search, tone }: Clause) {
  const shown = <Phrase>{text}</Phrase>
  if (to === undefined) return shown
  return (
    <PageLink to={to} {...(search && { search })} tone={tone}>
      {shown}
    </PageLink>
  )
}
