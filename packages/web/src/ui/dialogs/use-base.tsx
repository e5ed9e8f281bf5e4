import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { conflictsOf, isSame } from '../fields/changed-values.ts'
import { Diff } from '../texts/diff.tsx'
import { LostRace } from './lost-race.tsx'

interface BaseOptions<T extends object, C extends Partial<T>> {
  /** The stored object as the page has it now, with the fields that the dialog changes. Events can change it while the dialog is open. */
  stored: T
  /** What the dialog would send, of the object that it was opened with. */
  changesFrom: (base: T) => C
  /** The label of each field, and its value as text. */
  words: { [F in keyof T]?: readonly [label: string, text: (value: T[F]) => string] }
  /** Reads the stored object from the server. */
  read: () => Promise<T>
  /** Puts the values of an object into the fields. */
  show: (object: T) => void
  /** Sends the changes to the server. `current` is the object that was just read. */
  send: (changes: C, current: T) => Promise<unknown>
}

/**
 * The object that an open dialog changes, as it was when the person saw it. If another person changes the same fields meanwhile, the dialog shows
 * both values with the choice, and sends nothing before it.
 */
export function useBase<T extends object, C extends Partial<T> = Partial<T>>({
  stored,
  changesFrom,
  words,
  read,
  show,
  send,
}: BaseOptions<T, C>) {
  const [base, setBase] = useState(stored)
  const [newer, setNewer] = useState<{ object: T; than: string }>()
  const changes = changesFrom(base)
  const own: Partial<T> = changes
  // What the save has read counts until the page follows.
  const now = newer && newer.than === JSON.stringify(stored) ? newer.object : stored
  const save = useMutation<boolean>({
    mutationFn: async () => {
      const current = await read()
      if (Object.keys(conflictsOf(base, current, changes)).length > 0) {
        setNewer({ object: current, than: JSON.stringify(stored) })
        return false
      }
      await send(changes, current)
      return true
    },
  })
  // While the own save runs, the page may already show what it has stored.
  const isSaved = save.isPending || save.data === true
  const conflicts = isSaved ? {} : conflictsOf(base, now, changes)
  const fields = Object.keys(conflicts) as (keyof T)[]
  // Fields that the person did not change get the values of the others. Otherwise the save would take them back.
  const rebase = (values: Partial<T>) => {
    setBase(now)
    show({ ...now, ...changes, ...values })
  }
  const isOld = (Object.keys(words) as (keyof T)[]).some((field) => !isSame(base[field], now[field]))
  // The fields follow the stored object while the person has changed none of them.
  if (isOld && !isSaved && Object.keys(changes).length === 0) rebase({})
  const textOf = <F extends keyof T>(field: F, value: T[F] | undefined) =>
    value === undefined ? '' : (words[field]?.[1](value) ?? String(value))
  return {
    base,
    changes,
    /** Why the dialog cannot be sent before the choice. */
    missing: fields.length > 0 ? 'Somebody else changed the same fields meanwhile.' : undefined,
    /** Reads the stored object and sends the changes. Its answer is false if another person was first: then nothing is sent. */
    save,
    race: fields.length > 0 && (
      <LostRace
        label="Somebody else changed the same fields"
        text="These fields were saved by someone else while you edited. Your values are beside theirs."
        keep={{ text: 'Keep my values', act: () => rebase({}) }}
        take={{ text: 'Take theirs', act: () => rebase(conflicts) }}
      >
        <Diff
          hunks={fields.map((field) => ({
            title: words[field]?.[0] ?? String(field),
            before: textOf(field, now[field]),
            after: textOf(field, own[field]),
          }))}
          beforeName="Saved meanwhile"
          afterName="Yours"
        />
      </LostRace>
    ),
  }
}
