/** The user asked for something that is not there or makes no sense: exit status 2. */
export class UsageError extends Error {}
