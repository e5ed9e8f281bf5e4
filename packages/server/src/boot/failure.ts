/** Why the server does not start, as a text for the operator. It is printed without a stack. */
export class StartFailure extends Error {}
