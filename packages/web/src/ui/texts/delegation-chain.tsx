import type { Schema } from '@mandate/sdk'
import { ForeignText } from './foreign-text.tsx'

/** Who acts for whom: for Ana → by agent A → by agent B. The edge verified the delegation. */
export function DelegationChain({ chain }: { chain: readonly Schema<'ChainLink'>[] }) {
  return (
    <>
      {chain.map(({ name }, index) => (
        // An agent can be in the chain twice, so its id is no key.
        // biome-ignore lint/suspicious/noArrayIndexKey: the links of a chain never move
        <span key={index}>
          {index > 0 && ' → '}
          {index === 0 ? 'for ' : 'by '}
          <ForeignText text={name} />
        </span>
      ))}
    </>
  )
}
