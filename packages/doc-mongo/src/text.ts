import type { Document } from 'mongodb';

/**
 * Whether a text is in a thread's history, decided by the server without sending the history: `sure` where a native
 * message has it; `unsure` where only reading it can tell. That is so for a message stored as text, and for a chunk
 * that was sealed with results ahead of their turn, which a later message may have replaced.
 */
export function textStages(chunkCollection: string, needle: string): Document[] {
  const inTail = { $subtract: ['$control.length', '$tail.from'] };
  return [
    { $lookup: inChunks(chunkCollection, needle) },
    {
      $set: {
        sure: { $or: [{ $in: [true, '$sealed.sure'] }, settledHit('$history', inTail, needle)] },
        unsure: { $or: [{ $in: [true, '$sealed.unsure'] }, textHit('$history', needle)] },
      },
    },
    { $match: { $expr: { $or: ['$sure', '$unsure'] } } },
  ];
}

/** In the chunks that the thread names; there may be others. */
function inChunks(from: string, needle: string): Document {
  const settled = { $subtract: [{ $min: ['$length', '$$length'] }, '$from'] };
  const verdicts = {
    _id: 0,
    sure: settledHit('$items', settled, needle),
    unsure: { $or: [{ $gt: [{ $size: '$items' }, settled] }, textHit('$items', needle)] },
  };
  return {
    from,
    localField: '_id',
    foreignField: 'thread',
    let: { names: '$chunks.id', length: '$control.length' },
    pipeline: [{ $match: { $expr: { $in: ['$name', '$$names'] } } }, { $project: verdicts }],
    as: 'sealed',
  };
}

/** `settled`: how many of the items are history for certain. */
function settledHit(items: string, settled: Document, needle: string): Document {
  return any({ $slice: [items, { $max: [settled, 0] }] }, 'message', nativeHit('$$message', needle));
}

/** The letters of a text are in its JSON one after the other, each as JSON writes it. */
function textHit(items: string, needle: string): Document {
  return any(items, 'message', stringContains('$$message', JSON.stringify(needle).slice(1, -1)));
}

/** String contents, and `text` of parts. */
function nativeHit(message: string, needle: string): Document {
  const content = `${message}.value.content`;
  const inParts = any(`${content}.text`, 'text', stringContains('$$text', needle));
  return { $cond: [{ $isArray: content }, inParts, stringContains(content, needle)] };
}

function stringContains(text: string, needle: string): Document {
  const contains = { $gte: [{ $indexOfBytes: [text, { $literal: needle }] }, 0] };
  return { $cond: [{ $eq: [{ $type: text }, 'string'] }, contains, false] };
}

function any(input: unknown, as: string, condition: Document): Document {
  return { $anyElementTrue: [{ $map: { input, as, in: condition } }] };
}
