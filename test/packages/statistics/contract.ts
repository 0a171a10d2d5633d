import { subscribe } from '@orderly/kit/messages';
import * as z from 'zod/mini';

const opening = z.object({ ticketId: z.string(), title: z.string() });
export const deskContract = { service: 'desk', events: { TicketOpened: { version: 1, data: opening } } } as const;
export const opened = subscribe(deskContract, ['TicketOpened']);
