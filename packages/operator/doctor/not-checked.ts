/** Something that can't be checked at this place, or by this caller; no finding. */
export class NotChecked extends Error {
  override readonly name = 'NotChecked';
}

/** Checks that were left out, with the reasons. */
export interface SkippedCheck {
  readonly check: string;
  readonly why: string;
}

/** A command that the caller has not all permissions for. */
export interface DeniedCommand {
  /** Such as `failures redrive`. */
  readonly command: string;
  /** Missing actions, such as `sqs:SendMessage`. */
  readonly actions: readonly string[];
  /** ARN of a resource on which the first of them is missing. */
  readonly resource: string;
}

/** Says which permissions a command lacks. */
export const describeDenied = ({ command, actions, resource }: DeniedCommand): string =>
  `you may not run ${command}: it needs ${actions.join(', ')}, on ${resource} at least`;
