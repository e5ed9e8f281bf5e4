import type { ReactNode } from 'react'
import { Name } from '../texts/name.tsx'
import { PageLink } from './page-link.tsx'
import { type LinkedVersion, policyPlace } from './policy-place.ts'

interface PolicyLinkProps {
  id: string
  version: LinkedVersion
  /** Id of the rule that the page marks. */
  rule?: string
  className?: string | undefined
  children: ReactNode
}

/** The link to a policy. Each link says which version it means: no other file has the address of a policy. */
export function PolicyLink({ id, version, rule, className, children }: PolicyLinkProps) {
  return (
    <PageLink {...policyPlace(id, version, rule)} className={className}>
      {children}
    </PageLink>
  )
}

interface PolicyVersionLinkProps {
  id: string
  /** Null if the policy was deleted, or if the reader may not see it. Then there is no link. */
  name: string | null
  /** Null if the version is not known. */
  version: number | null
}

/** A policy with the version that is meant: "Refunds, version 7". */
export function PolicyVersionLink({ id, name, version }: PolicyVersionLinkProps) {
  const text = (
    <>
      <Name>{name ?? 'A policy that was deleted or that you may not see'}</Name>
      {version === null ? ', unknown version' : `, version ${version}`}
    </>
  )
  if (name === null) return text
  return (
    <PolicyLink id={id} version={version ?? 'current'}>
      {text}
    </PolicyLink>
  )
}
