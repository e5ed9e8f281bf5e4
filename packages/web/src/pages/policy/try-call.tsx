import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../../api/queries.ts'
import { useSettled } from '../../ui/browser/use-settled.ts'
import { EnvironmentField } from '../../ui/fields/environment-field.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { Box } from '../../ui/page/box.tsx'
import { State } from '../../ui/page/state.tsx'
import { effects } from '../../ui/page/states.ts'
import { Name } from '../../ui/texts/name.tsx'
import { errorOfField } from '../../words/field-errors.ts'
import { limitText } from '../../words/limit-words.ts'
import type { Document, DocumentRule } from './document/document.ts'
import { InexactNumber, parseExact } from './document/exact-json.ts'
import css from './policy.module.css'

interface TryCallProps {
  policyId: string
  version: number
  /** The valid draft. Without it the saved policy decides. */
  draft: Document | undefined
  /** True if there is a draft that the server does not accept yet. */
  isDraftWrong: boolean
  /** The rules of the policy that decides. */
  rules: readonly DocumentRule[]
}

type Args = { value: Record<string, unknown> | undefined } | { error: string }

function readArgs(text: string): Args {
  if (text.trim() === '') return { value: undefined }
  try {
    const value = parseExact(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { value: value as Record<string, unknown> }
  } catch (error) {
    if (error instanceof InexactNumber) return { error: error.message }
    // The text below says what is expected.
  }
  return { error: 'The arguments must be a JSON object, such as {"amount": 100}.' }
}

/** Labels, separated by commas or white space. */
const readLabels = (text: string) => text.split(/[\s,]+/).filter((label) => label !== '')

/** Decides one call by the draft and by the saved version. Nothing is stored. */
export function TryCall({ policyId, version, draft, isDraftWrong, rules }: TryCallProps) {
  const [tool, setTool] = useState('')
  const [text, setText] = useState('')
  const [labels, setLabels] = useState('')
  const [environment, setEnvironment] = useState('')
  const args = readArgs(text)
  const call = useSettled(
    JSON.stringify([tool.trim(), ('value' in args ? args.value : undefined) ?? null, readLabels(labels), environment]),
  )
  const isReady = tool.trim() !== '' && !('error' in args)
  const drafted = useTried(policyId, call, draft, isReady)
  const saved = useTried(policyId, call, undefined, isReady && draft !== undefined)
  const errors = errorOfField(drafted.error, [
    'calls[0].tool',
    'calls[0].args',
    'calls[0].session.labels',
    'tool',
    'args',
  ] as const)
  const result = isReady ? drafted.data?.results[0] : undefined
  const before = saved.data?.results[0]
  const rule = rules.find(({ id }, index) => result?.rule_id != null && (id ?? `rules[${index}]`) === result.rule_id)
  return (
    <Box title="Try a call">
      <Field
        label="Tool"
        value={tool}
        onChange={setTool}
        isMono
        maxLength={400}
        hint="Such as mcp:stripe/refund"
        error={isReady ? (errors.of['calls[0].tool'] ?? errors.of.tool ?? errors.rest) : undefined}
      />
      <Field
        label="Arguments, JSON"
        value={text}
        onChange={setText}
        isMono
        lines={3}
        error={'error' in args ? args.error : undefined}
      />
      <Field
        label="Labels of the session"
        value={labels}
        onChange={setLabels}
        isMono
        hint="What the agent has seen before, such as untrusted_output"
        error={isReady ? errors.of['calls[0].session.labels'] : undefined}
      />
      <EnvironmentField
        label="Inventory"
        value={environment}
        onChange={setEnvironment}
        everywhere="Environment of the policy"
        hint="It has the labels and states of tools"
      />
      <div role="status">
        {result && (
          <>
            {isDraftWrong && <p>The draft is not checked yet or has errors. This is what version {version} says.</p>}
            <p className={css.result}>
              <State {...effects[result.effect]} />
              <span>
                {result.rule_id === null ? (
                  'by the default effect'
                ) : (
                  <>
                    by <Name>{rule ? [`rule ${rule.priority}`, rule.name].filter(Boolean).join(', ') : 'a rule'}</Name>
                  </>
                )}
                {rule?.limit && `, which allows an agent ${limitText(rule.limit)}`}
                {result.undecided !== null && `, because ${result.undecided} could not be decided`}
              </span>
            </p>
            {draft && before && (
              <p className={css.result}>
                <span>Version {version} says</span> <State {...effects[before.effect]} />
              </p>
            )}
          </>
        )}
      </div>
    </Box>
  )
}

function useTried(policyId: string, call: string, draft: Document | undefined, isReady: boolean) {
  const [tool, args, labels, environment] = JSON.parse(call) as [
    string,
    Record<string, unknown> | null,
    string[],
    string,
  ]
  return useQuery({
    ...read('simulatePolicy', {
      path: { policy_id: policyId },
      body: {
        calls: [{ tool, ...(args && { args }), session: { labels } }],
        ...(environment !== '' && { environment_id: environment }),
        ...(draft && { document: draft as never }),
      },
    }),
    enabled: isReady && tool !== '',
  })
}
