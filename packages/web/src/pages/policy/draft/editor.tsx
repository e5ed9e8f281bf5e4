import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { write } from '../../../api/queries.ts'
import { whyNot } from '../../../api/why-not.ts'
import { Button } from '../../../ui/actions/button.tsx'
import { Confirm } from '../../../ui/dialogs/dialog.tsx'
import { FieldError } from '../../../ui/fields/field.tsx'
import { Segments } from '../../../ui/fields/segments.tsx'
import { Panel } from '../../../ui/page/panel.tsx'
import { PolicyInWords } from '../../../ui/texts/policy-in-words.tsx'
import { asSentence, counted } from '../../../words/words.ts'
import { useContentRefused } from '../content/use-content-refused.ts'
import { type DocumentRule, documentOf, forForm, newRule, type Policy } from '../document/document.ts'
import type { ReplayDays } from '../document/replay.ts'
import css from '../policy.module.css'
import { RuleForm } from '../rules/rule-form.tsx'
import { RuleList } from '../rules/rule-list.tsx'
import { TextEditor } from '../text/text-editor.tsx'
import { TryCall } from '../try-call.tsx'
import type { useImpact } from './checks.ts'
import { faultInWords, faultText } from './faults.ts'
import { Impact } from './impact.tsx'
import { SettingsForm } from './settings-form.tsx'
import type { DraftState } from './use-draft.ts'

interface EditorProps {
  policy: Policy
  state: DraftState
  impact: ReturnType<typeof useImpact>
  days: ReplayDays
  onDays: (days: ReplayDays) => void
}

const views = [
  { value: 'form', text: 'Form' },
  { value: 'text', text: 'Text' },
] as const

/** The document as a form or as text, with its impact and a call to try. */
export function Editor({ policy, state, impact, days, onDays }: EditorProps) {
  const { view, rule, tab: _tab, version: _version } = useSearch({ from: '/inside/policies/$id' })
  const navigate = useNavigate()
  const show = (next: (typeof views)[number]['value']) =>
    void navigate({ to: `/policies/${policy.id}` as '/', search: (next === 'text' ? { view: next } : {}) as never })
  const isText = view === 'text'
  const contentRefused = useContentRefused(policy)
  // Faults that belong to no field of the form.
  const [general] = state.faults.filter(({ path }) => path === '' || path === 'rules')
  const { rules } = forForm(state.document)
  // A person can lose the right to change the policy after starting a draft. The editor then stays open, so that the draft is not lost.
  if (state.draft === undefined && whyNot(policy, 'replacePolicy') !== undefined)
    return <ReadOnly policy={policy} rule={rule} />
  return (
    <div className={css.columns}>
      <div className={css.stack}>
        <Panel
          title="Rules"
          legend={rulesLegend}
          more={<Segments label="View" value={isText ? 'text' : 'form'} onChange={show} options={views} />}
        >
          {isText ? <PolicyText state={state} /> : <RulesForm policy={policy} state={state} firstOpen={rule} />}
        </Panel>
        {!isText && (
          <SettingsForm
            document={forForm(state.document)}
            contentRefused={contentRefused}
            faults={state.faults}
            onChange={state.change}
          />
        )}
        {!isText && <FieldError text={general && faultInWords(general, rules)} />}
        {!isText && state.unknown && (
          <FieldError text={`${asSentence(state.unknown.message)} The text can remove it.`} />
        )}
        <Delete policy={policy} />
      </div>
      <div className={css.stack}>
        <Impact {...{ impact, days, onDays }} policyId={policy.id} missing={missingImpact(state)} />
        <TryCall
          policyId={policy.id}
          version={policy.version}
          draft={state.isValid ? state.draft : undefined}
          isDraftWrong={state.draft !== undefined && !state.isValid}
          rules={state.draft === undefined || state.isValid ? rules : documentOf(policy).rules}
        />
      </div>
    </div>
  )
}

const rulesLegend = (
  <span className={css.note}>Any matching deny wins. Otherwise the first match by priority decides.</span>
)

/** The policy for a person who may not change it. */
function ReadOnly({ policy, rule }: { policy: Policy; rule: string | undefined }) {
  return (
    <div className={css.columns}>
      <div className={css.stack}>
        <Panel title="Rules" legend={rulesLegend}>
          <PolicyInWords snapshot={policy} marked={rule} />
        </Panel>
        <Delete policy={policy} />
      </div>
      <TryCall
        policyId={policy.id}
        version={policy.version}
        draft={undefined}
        isDraftWrong={false}
        rules={forForm(documentOf(policy)).rules}
      />
    </div>
  )
}

function PolicyText({ state }: { state: DraftState }) {
  const { text, type, textError, faults, draft, isValid } = state
  const shown = useMemo(() => faults.map((fault) => ({ ...fault, message: faultText(fault) })), [faults])
  const isChecked = draft === undefined || isValid || textError !== undefined || faults.length > 0
  return <TextEditor text={text} onChange={type} error={textError} faults={shown} isChecked={isChecked} />
}

function missingImpact({ draft, faults, textError }: DraftState): string | undefined {
  if (!draft) return 'Change a rule to see which recorded calls the draft would decide in another way.'
  if (textError !== undefined || faults.length > 0) return 'The impact is computed when the draft has no errors.'
  return undefined
}

interface RulesFormProps {
  policy: Policy
  state: DraftState
  /** Id of the rule that a link opens. */
  firstOpen: string | undefined
}

function RulesForm({ policy, state, firstOpen }: RulesFormProps) {
  const { rules } = forForm(state.document)
  const [open, setOpen] = useState(() => {
    const index = rules.findIndex(({ id }) => id === firstOpen)
    return firstOpen === undefined || index < 0 ? undefined : index
  })
  const opened = open === undefined ? undefined : rules[open]
  const [fresh, setFresh] = useState<number>()
  const show = (index: number | undefined, isNew = false) => {
    setOpen(index)
    setFresh(isNew ? index : undefined)
  }
  const set = (next: DocumentRule[]) => state.change({ rules: next })
  const add = () => {
    set([...rules, newRule(rules)])
    show(rules.length, true)
  }
  return (
    <>
      {state.textError !== undefined && (
        <FieldError text={`${state.textError} The form shows the last text without this error.`} />
      )}
      {rules.length === 0 && <p className={css.note}>There is no rule, so the default effect decides every call.</p>}
      <RuleList
        rules={rules}
        saved={documentOf(policy).rules}
        faults={state.faults}
        open={opened ? open : undefined}
        onOpen={show}
        fresh={fresh}
      />
      <p className={css.add}>
        <Button onPress={add}>Add rule</Button>
      </p>
      {opened && open !== undefined && (
        <RuleForm
          key={open}
          rules={rules}
          saved={documentOf(policy).rules}
          index={open}
          faults={state.faults}
          isFresh={open === fresh}
          onChange={(next) => set(rules.map((rule, index) => (index === open ? next : rule)))}
          onRemove={() => {
            set(rules.filter((_, index) => index !== open))
            show(undefined)
          }}
        />
      )}
    </>
  )
}

function Delete({ policy }: { policy: Policy }) {
  // The version that the person saw when the dialog opened.
  const [seen, setSeen] = useState<number>()
  const navigate = useNavigate()
  const act = async (ifMatch: number) => {
    await write('deletePolicy', { path: { policy_id: policy.id }, ifMatch })
    await navigate({ to: '/policies' as '/', ignoreBlocker: true })
  }
  return (
    <p>
      <Button look="danger" onPress={() => setSeen(policy.version)} disabledBecause={whyNot(policy, 'deletePolicy')}>
        Delete policy…
      </Button>
      {seen !== undefined && (
        <Confirm
          title={`Delete the policy ${policy.name}?`}
          verb="Delete"
          look="danger"
          isFinal
          act={() => act(seen)}
          onClose={() => setSeen(undefined)}
        >
          <p>
            {counted(seen, 'Its # version is', 'Its # versions are')} deleted with it. A policy that an agent uses is
            not deleted.
          </p>
        </Confirm>
      )}
    </p>
  )
}
