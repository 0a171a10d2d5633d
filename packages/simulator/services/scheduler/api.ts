import { type Operations, paginate, Refused, toSeconds } from '../../wire/operation.js';
import type { Input } from '../../wire/request.js';
import type { Schedule, ScheduleProperties, Scheduler } from './model.js';

const PAGE = 100;

/** Schedules. EventBridge Scheduler API Reference, "Actions". */
export const schedulerApi = ({ scheduler }: { readonly scheduler: Scheduler }): Operations => ({
  CreateSchedule: (input) => {
    const found = scheduler.find(groupOf(input), String(input.Name));
    const clientToken = input.ClientToken === undefined ? undefined : String(input.ClientToken);
    // "CreateSchedule", `ClientToken`: the same request, come again.
    if (found?.clientToken !== undefined && found.clientToken === clientToken)
      return { ScheduleArn: found.resource.arn };
    if (found) throw new Refused('ConflictException', `Schedule ${found.name} already exists.`, 409);
    return put(scheduler, input, clientToken);
  },
  UpdateSchedule: (input) => {
    const { clientToken } = findSchedule(scheduler, input);
    return put(scheduler, input, clientToken);
  },
  GetSchedule: (input) => describe(findSchedule(scheduler, input)),
  DeleteSchedule: (input) => {
    scheduler.remove(findSchedule(scheduler, input));
    return {};
  },
  ListSchedules: ({ ScheduleGroup, NamePrefix = '', State, NextToken, MaxResults = PAGE }) => {
    const found = scheduler
      .list()
      .filter(
        ({ group, name }) =>
          (ScheduleGroup === undefined || group === ScheduleGroup) && name.startsWith(String(NamePrefix)),
      )
      .filter(({ properties }) => State === undefined || (properties.State ?? 'ENABLED') === State);
    const { page, next } = paginate(found, NextToken, Number(MaxResults));
    return { Schedules: page.map(summarize), ...(next !== undefined && { NextToken: next }) };
  },
});

/** The group stands in the body or behind the path. */
export const groupOf = ({ GroupName, groupName }: Input): string => String(GroupName ?? groupName ?? 'default');

function findSchedule(scheduler: Scheduler, input: Input): Schedule {
  const found = scheduler.find(groupOf(input), String(input.Name));
  if (!found) throw new Refused('ResourceNotFoundException', `Schedule ${String(input.Name)} does not exist.`, 404);
  return found;
}

function put(scheduler: Scheduler, input: Input, clientToken: string | undefined): object {
  const { resource } = scheduler.put(groupOf(input), String(input.Name), input as ScheduleProperties, clientToken);
  return { ScheduleArn: resource.arn };
}

const summarize = ({ resource, group, name, properties, createdAt }: Schedule): object => ({
  Arn: resource.arn,
  GroupName: group,
  Name: name,
  State: properties.State ?? 'ENABLED',
  CreationDate: toSeconds(createdAt),
  LastModificationDate: toSeconds(createdAt),
  Target: { Arn: properties.Target?.Arn },
});

function describe(schedule: Schedule): object {
  const { ScheduleExpression, ScheduleExpressionTimezone = 'UTC', FlexibleTimeWindow, Target } = schedule.properties;
  const { ActionAfterCompletion = 'NONE' } = schedule.properties;
  return {
    ...summarize(schedule),
    ScheduleExpression,
    ScheduleExpressionTimezone,
    FlexibleTimeWindow,
    ActionAfterCompletion,
    Target,
  };
}
