import type { Schema } from '@mandate/sdk'
import { Fragment } from 'react'
import { usePlaceOf } from '../../api/environments.ts'
import { conditionText } from '../../words/condition-words.ts'
import { limitText } from '../../words/limit-words.ts'
import { KeyValues } from '../lists/key-values.tsx'
import { State } from '../page/state.tsx'
import { effects, modeLooks } from '../page/states.ts'
import { Name } from './name.tsx'
import css from './policy-in-words.module.css'

type Snapshot = Schema<'PolicyVersionDetail'>['snapshot']

/** The fields and the rules of one version of a policy, in the order in which the rules are read. @param marked id of the rule that a link is about */
export function PolicyInWords({ snapshot, marked }: { snapshot: Snapshot; marked?: string | undefined }) {
  const placeOf = usePlaceOf()
  const { description, environment_id, override_mode, default_effect, dlp_enabled, rules } = snapshot
  return (
    <>
      <KeyValues
        rows={[
          ['Description', description ? <Name key="about">{description}</Name> : undefined],
          [
            'Environment',
            environment_id === null ? 'every environment' : <Name key="place">{placeOf(environment_id)}</Name>,
          ],
          ['Enforcement', modeLooks[override_mode].word],
          ['Content rules', dlp_enabled ? 'on' : undefined],
        ]}
      />
      <RulesInWords rules={rules} fallback={default_effect} marked={marked} />
    </>
  )
}

interface RulesInWordsProps {
  rules: Snapshot['rules']
  fallback: Snapshot['default_effect']
  marked?: string | undefined
}

const showMarked = (row: HTMLLIElement | null) => row?.scrollIntoView({ block: 'center' })

/** Each rule as a line: what is decided, for which tools, and when. */
function RulesInWords({ rules, fallback, marked }: RulesInWordsProps) {
  const sorted = [...rules].sort((a, b) => a.priority - b.priority)
  return (
    <ol className={css.rules} aria-label="Rules, by priority">
      {sorted.map(({ id, name, priority, effect, enabled, match, reason, limit }) => (
        <li key={id} {...(id === marked && { 'aria-current': true, ref: showMarked })}>
          <State {...effects[effect]} />
          <div className={css.body}>
            <p>
              <b>
                <Name>{name || `Rule ${priority}`}</Name>
              </b>
              <span className={css.mark}>priority {priority}</span>
              {id === marked && <span className={css.mark}>the rule of the link</span>}
              {!enabled && <span className={css.off}>off, it decides nothing</span>}
            </p>
            <p className={css.what}>
              {match.tools.map((tool) => (
                <code key={tool}>
                  <Name>{tool}</Name>
                </code>
              ))}
              <span>
                {match.when.length === 0 && 'always'}
                {match.when.map((condition, index) => (
                  <Fragment key={JSON.stringify(condition)}>
                    {index === 0 ? 'if ' : ', and '}
                    <Name>{conditionText(condition)}</Name>
                  </Fragment>
                ))}
                {limit && `, ${limitText(limit)}`}
              </span>
            </p>
            {reason && (
              <p className={css.what}>
                Reason: <Name>{reason}</Name>
              </p>
            )}
          </div>
        </li>
      ))}
      <li>
        <State {...effects[fallback]} />
        <div className={css.body}>
          {sorted.length > 0 ? 'Every other call' : 'Every call, because there is no rule'}
        </div>
      </li>
    </ol>
  )
}
