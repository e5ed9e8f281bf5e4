import type { ReactNode } from 'react'
import css from './key-values.module.css'

/** Labels with their values. Leaves out values that are undefined. */
export function KeyValues({ rows }: { rows: readonly (readonly [label: string, value: ReactNode | undefined])[] }) {
  return (
    <dl className={css.list}>
      {rows.map(([label, value]) =>
        value === undefined ? null : (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  )
}
