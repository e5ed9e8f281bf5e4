import { age, clockTime, exactTime, relativeTime, secondsTime, timeAhead } from '../../words/times.ts'
import { useTextNow } from '../browser/use-now.ts'

/** A point in time in the given words, which may depend on the present time. Its exact time is in the tooltip and in the accessible name. */
export function WordedTime({ at, words }: { at: string; words: (at: string, now: number) => string }) {
  const text = useTextNow((now) => words(at, now))
  return (
    <time dateTime={at} title={exactTime(at)}>
      <span className="on-screen">{text}</span>
      <Exact at={at} />
    </time>
  )
}

/** A point in time, as a person says it: "12 s ago", "14:02". */
export const Time = ({ at }: { at: string }) => <WordedTime at={at} words={relativeTime} />

/** A time in the future, such as an expiry: "in 6 s", "in 7 days". */
export const TimeAhead = ({ at }: { at: string }) => <WordedTime at={at} words={timeAhead} />

/** A point in time of a column that names the time zone: with its seconds, and its date if it is not today. Its age is in the tooltip. */
export function ClockTime({ at }: { at: string }) {
  const text = useTextNow((now) => secondsTime(at, now))
  const title = useTextNow((now) => `${relativeTime(at, now)}, ${exactTime(at)}`)
  return (
    <time dateTime={at} title={title}>
      <span className="on-screen">{text}</span>
      <Exact at={at} />
    </time>
  )
}

/** A point in time with its date, seconds and time zone, for pages that are kept as proof. */
export const ExactTime = ({ at }: { at: string }) => <time dateTime={at}>{exactTime(at)}</time>

/**
 * A point in time on the page of a record: its date, time and zone, with its age. Paper shows no age. Screen readers leave the age out: in a text
 * that they announce, they would read the whole text again each time the age changes.
 */
export function RecordTime({ at }: { at: string }) {
  const text = useTextNow((now) => age(at, now))
  return (
    <span>
      <time dateTime={at}>{exactTime(at)}</time>
      <span className="on-screen" aria-hidden="true">
        {' '}
        ({text} ago)
      </span>
    </span>
  )
}

/** How long ago something was, without a word around it, for narrow columns: "12 s", "6 min", "2 days". */
export const Age = ({ at }: { at: string }) => <WordedTime at={at} words={age} />

/** A point in time after a word such as "until" or "since": "14:02", "3 Nov, 14:02". */
export const Moment = ({ at }: { at: string }) => <WordedTime at={at} words={clockTime} />

/** The exact time, for screen readers. On paper it replaces the time that was relative to the moment of printing. */
const Exact = ({ at }: { at: string }) => (
  <>
    <span className="hidden-text"> (</span>
    <span className="hidden-text exact">{exactTime(at)}</span>
    <span className="hidden-text">)</span>
  </>
)
