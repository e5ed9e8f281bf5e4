import { emptyScopes, scopeResources } from '@mandate/contract/words/scopes'
import { Check } from '../../ui/fields/check.tsx'
import { scopesIn, withScope } from './chosen-scopes.ts'
import css from './keys.module.css'

interface ScopeChoiceProps {
  /** The scopes as the reader wrote them. */
  text: string
  onChange: (text: string) => void
}

/** Two boxes for each resource, which write the scopes into the text. */
export function ScopeChoice({ text, onChange }: ScopeChoiceProps) {
  const scopes = scopesIn(text)
  const wide = scopes.find((scope) => scope.includes('*'))
  return (
    <details className={css.choice}>
      <summary>Choose by resource</summary>
      {wide !== undefined && (
        <p>
          The text has <code>{wide}</code>, which opens more than the boxes show.
        </p>
      )}
      <ul>
        {scopeResources.map((resource) => (
          <li key={resource}>
            <code>{resource}</code>
            {(['read', 'write'] as const).map((action) => {
              const scope = `${resource}:${action}`
              if (emptyScopes.includes(scope)) return <span key={action} />
              return (
                <Check
                  key={action}
                  label={
                    <>
                      {action}
                      <span className="hidden-text"> {resource}</span>
                    </>
                  }
                  isOn={scopes.includes(scope)}
                  onChange={(isOn) => onChange(withScope(text, scope, isOn))}
                />
              )
            })}
          </li>
        ))}
      </ul>
    </details>
  )
}
