public import Duet

/// The rule that observers see the change of a command before the command has ended.
///
/// ```swift
/// OptimisticUpdate(LoadComments.self, by: PostComment.self) { comments, query, command in
///     guard query.imageID == command.imageID, !comments.contains(where: { $0.id == command.id }) else { return }
///     comments.append(Comment(id: command.id, text: command.text))
/// }
/// ```
///
/// The change is shown when the command is dispatched. If the command fails or is canceled, it is withdrawn. If the
/// command succeeds, it is shown until a value that was loaded afterwards replaces it. Several running commands make
/// their changes in dispatch order.
///
/// Observers see the changes of running commands, and readers do if they ask for them:
/// `read(query, .cacheFirst.includingUnconfirmed())`. See <doc:CacheReference#Optimistic-updates>.
///
/// An update needs a ``Cache`` rule for its query, and an ``Invalidate`` rule for the same query and command.
/// ``InvalidCacheRules`` reports a missing one, and two updates of one query by the same command.
public struct OptimisticUpdate: Sendable, CustomStringConvertible {
    /// Begins to show the change of one command.
    typealias Action = @Sendable (_ command: any Command, _ cache: QueryCache) -> CommandUpdateID?

    let query: (id: ObjectIdentifier, name: String)
    let command: (id: ObjectIdentifier, name: String)
    let action: Action

    /// Shows the change of a command before the command has ended.
    ///
    /// An ``Invalidate`` rule must make the same values stale after the command, so that they are loaded again.
    ///
    /// - Parameters:
    ///   - query: The type of the query.
    ///   - command: The type of the command.
    ///   - update: Changes a value as the command will change it, or leaves it as it is. It is called for each observed
    ///     query of the type in the scope of the command's caller, again for each new value and after the failure of
    ///     another command, and for stale values after the success. A value may already contain the change, so check
    ///     for it first, by an identifier or a key that the command has. The function is called while the cache is
    ///     locked, so it must be fast, and must not use the cache.
    public init<Q: Query & Hashable, C: Command>(
        _ query: Q.Type,
        by command: C.Type,
        update: @escaping @Sendable (_ value: inout Q.Value, _ query: Q, _ command: C) -> Void
    ) where Q.Value: Sendable {
        self.query = (ObjectIdentifier(query), Q.messageName)
        self.command = (ObjectIdentifier(command), C.messageName)
        action = { command, cache in
            guard let command = command as? C, let cached = cache.cached(Q.self) else { return nil }
            return cached.beginUpdate { value, query in update(&value, query, command) }
        }
    }

    /// The rule in words.
    public var description: String { "Observed values of \(query.name) are updated optimistically by \(command.name)" }
}
