import { createMongoCheckpointer } from '@agent-state/doc-mongo';
import type { Open } from './store.ts';

const ms = 20_000;

export const open: Open = ([url = '']) =>
  createMongoCheckpointer({ url, serverSelectionTimeoutMS: ms, connectTimeoutMS: ms, socketTimeoutMS: ms });
