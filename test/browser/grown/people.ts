import { type Client, createClient, type Schema } from '@mandate/sdk'
import { Secret, TOTP } from 'otpauth'
import { linkMailedTo } from '../mail.ts'
import { addLearner, addPerson } from '../people.ts'
import { clientOf, type Organization } from '../tenant.ts'

/** A person of the organization, with a client of their own. */
export interface Person {
  user: Schema<'User'>
  api: Client
}

export interface People {
  jonas: Person
  petra: Person
  ines: Person
  kofi: Person
  elin: Person
  /** The path of a mailed invitation that nobody has accepted. */
  invitation: string
}

const withoutFactor = ['Elin Havström']

async function addFactor(api: Client, password: string): Promise<void> {
  const { secret } = await api.call('startTotp', { body: { password } })
  await api.call('confirmTotp', { body: { otp: new TOTP({ secret: Secret.fromBase32(secret) }).generate() } })
}

/** Invites people and learners; most of them accept. */
export async function gatherPeople(url: string, organization: Organization): Promise<People> {
  const { id, api, password } = organization
  const open = createClient({ url })
  const add = async (role: Schema<'User'>['role'], name: string, email: string): Promise<Person> => {
    const user = await addPerson(organization, { role, name, email })
    const { session } = await open.call('signIn', { body: { email, password } })
    const own = clientOf(session)
    if (!withoutFactor.includes(name)) await addFactor(own, password)
    return { user, api: own }
  }
  const jonas = await add('manager', 'Jonas Adeholt', 'j.adeholt@norrvik.example')
  const petra = await add('manager', 'Petra Sundelius', 'p.sundelius@norrvik.example')
  const ines = await add('member', 'Ines Varmaux', 'i.varmaux@norrvik.example')
  const kofi = await add('member', 'Kofi Brandal', 'k.brandal@norrvik.example')
  const elin = await add('member', 'Elin Havström', 'e.havstrom@norrvik.example')
  await add('viewer', 'Sven Okkarinen', 's.okkarinen@norrvik.example')
  await add('viewer', 'Audit Firm Guest', 'guest.audit@norrvik.example')
  for (const [email, role] of [
    ['r.oberhaug@norrvik.example', 'member'],
    ['t.ellingsrud@norrvik.example', 'viewer'],
    ['l.marchetta@norrvik.example', 'manager'],
  ] as const)
    await api.call('inviteUser', { path: { id }, body: { email, role } })
  await addLearner(organization, 'Oda Rasmussen-Field', 'o.rasmussen@norrvik.example')
  await addLearner(organization, 'Yusuf Engelbrekt', 'y.engelbrekt@norrvik.example')
  return { jonas, petra, ines, kofi, elin, invitation: await linkMailedTo('r.oberhaug@norrvik.example', 'join') }
}
