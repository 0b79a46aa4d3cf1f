/** What a user would set, only shorter: a store that refuses at once counts as down after 0.4 s. */
export const deadlines = { storeCallMs: 1_000, storeBudgetMs: 1_400 };
/** What holds for a user who sets nothing: enough for a client to connect again, many times over. */
export const unhurried = { storeCallMs: 2_000, storeBudgetMs: 5_000 };
/** A read-back may follow the last call of the budget. */
export const longestMs = deadlines.storeBudgetMs + 2 * deadlines.storeCallMs;
