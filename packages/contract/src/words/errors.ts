/** The errors that have a code. Each error has an HTTP status, and a text for the fields `error` and `message`. */
export const codedErrors = {
  academy_only_user: {
    status: 409,
    text: 'Academy learners keep the viewer role. Use Give platform access on the Team page to give them a platform role.',
  },
  seat_limit_reached: {
    status: 409,
    text: 'Every seat on your plan is in use. Remove a user or choose a larger plan to free one.',
  },
  academy_learner_exists: {
    status: 409,
    text: 'This person is already an Academy learner in your organization. Use Give platform access on the Team page.',
  },
  already_member: { status: 409, text: 'This person is already a member of your organization.' },
  owner_elsewhere: { status: 409, text: 'This address already owns another organization.' },
  user_elsewhere: { status: 409, text: 'This address already belongs to a user of another organization.' },
  policy_name_taken: { status: 409, text: 'Another policy has this name in this environment.' },
  plan_upgrade_required: { status: 402, text: 'Your plan does not include this feature.' },
  academy_only_account: {
    status: 403,
    text: 'This account has Academy access only. Choose a plan to use the platform.',
  },
  fresh_sign_in_required: {
    status: 403,
    text: 'Send the current password, or sign in again: setting up a second factor needs a sign-in of the last five minutes.',
  },
  wrong_password: { status: 403, text: 'The current password is wrong.' },
  mfa_required: { status: 401, text: 'a one-time password is required' },
} as const satisfies Record<string, { status: number; text: string }>

export type ErrorCode = keyof typeof codedErrors
