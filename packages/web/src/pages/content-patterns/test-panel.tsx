import type { Schema } from '@mandate/sdk'
import { useEffect, useState } from 'react'
import { useWrite } from '../../api/queries.ts'
import { Button } from '../../ui/actions/button.tsx'
import { Field, FieldError } from '../../ui/fields/field.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { counted } from '../../words/words.ts'
import css from './content-patterns.module.css'

/** Finds patterns in a text. The server neither stores nor logs the text. */
export function TestPanel({ patterns }: { patterns: readonly Schema<'ContentPattern'>[] | undefined }) {
  const [text, setText] = useState('')
  const test = useWrite('testContentPatterns')
  const { reset } = test
  // An answer of other patterns is no answer.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of the patterns counts
  useEffect(reset, [patterns])
  const matches = test.data?.matches
  const counts = new Map<string, number>()
  for (const { pattern_id: id } of matches ?? []) counts.set(id, (counts.get(id) ?? 0) + 1)
  return (
    <Panel title="Test a text">
      <form
        className={css.test}
        onSubmit={(event) => {
          event.preventDefault()
          test.mutate({ body: { text } })
        }}
      >
        <Field
          label="Text"
          value={text}
          onChange={(next) => {
            setText(next)
            reset()
          }}
          lines={4}
          hint="It is neither stored nor logged."
        />
        <Button type="submit" isBusy={test.isPending}>
          Find patterns
        </Button>
        <div role="status">
          {matches?.length === 0 && 'No pattern matches.'}
          {counts.size > 0 && (
            <ul>
              {[...counts].map(([id, count]) => (
                <li key={id}>
                  <Name>{patterns?.find((pattern) => pattern.id === id)?.name ?? 'a pattern that was deleted'}</Name>:{' '}
                  {counted(count, '# match', '# matches')}
                </li>
              ))}
            </ul>
          )}
        </div>
        <FieldError text={test.error?.message} />
      </form>
    </Panel>
  )
}
