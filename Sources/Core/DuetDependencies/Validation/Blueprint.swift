import Duet

struct Blueprint {
    let draft: Draft
    /// One registration for each key, in the order of registration.
    let registrations: [Registration]
    let handlers: [HandlerDraft]
    let middleware: [MiddlewareDraft]
    let links: DependencyLinks

    /// - Throws: ``InvalidContainer`` with every problem.
    init(_ draft: Draft) throws {
        var problems: [InvalidContainer.Problem] = []
        let listed = Set(draft.handlers.map(\.message))
        let all = draft.handlers + draft.fallbacks.filter { !listed.contains($0.message) }
        let uniqueHandlers = Self.unique(all, by: \.message, &problems) { conflicts in
            .duplicateHandler(
                message: conflicts[0].messageName,
                handlers: conflicts.map(\.handler.shortName),
                locations: conflicts.map { "\($0.location)" }
            )
        }
        let handlers = Self.replace(uniqueHandlers, with: draft.replacedHandlers, by: \.message, &problems) {
            ($0.messageName, $0.location)
        }
        var registrations = draft.registrations
        let registered = Set(registrations.map(\.key))
        let replaced = Set(draft.replacements.map(\.key))
        for handler in handlers where !registered.contains(handler.handler) {
            if let registration = handler.registration {
                registrations.append(registration)
            } else if !replaced.contains(handler.handler) {
                let name = handler.handler.shortName
                problems.append(.handlerNotRegistered(handler: name, location: "\(handler.location)"))
            }
        }
        registrations += draft.middleware.compactMap(\.registration)
        registrations += Self.dispatchers(of: draft, besides: registered)
        registrations = Self.unique(registrations, by: \.key, &problems) { conflicts in
            .duplicate(name: conflicts[0].key.shortName, locations: conflicts.map { "\($0.location)" })
        }
        registrations = Self.replace(registrations, with: draft.replacements, by: \.key, &problems) {
            ($0.key.shortName, $0.location)
        }

        links = DependencyLinks(registrations)
        problems += links.problems()
        guard problems.isEmpty else { throw InvalidContainer(problems: problems) }
        self.draft = draft
        self.registrations = registrations
        self.handlers = handlers
        middleware = draft.middleware
    }

    /// Returns the registrations of the standard dispatcher, if it was requested, and of its two halves, unless they
    /// are registered.
    private static func dispatchers(of draft: Draft, besides registered: Set<DependencyKey>) -> [Registration] {
        let whole = DependencyKey((any Dispatcher).self)
        guard let location = draft.dispatcher ?? draft.registrations.first(where: { $0.key == whole })?.location else {
            return []
        }
        let commands = FactoryMaker { (dispatcher: any Dispatcher) -> any CommandDispatcher in dispatcher }
        let queries = FactoryMaker { (dispatcher: any Dispatcher) -> any QueryDispatcher in dispatcher }
        let halves = [Registration(transient: commands, location), Registration(transient: queries, location)]
        return (draft.dispatcher == nil ? [] : [Registration(transient: DispatcherMaker(), location)])
            + halves.filter { !registered.contains($0.key) }
    }

    /// Returns the first item for each key; further items are a problem.
    private static func unique<Item, Key: Hashable>(
        _ items: [Item],
        by key: (Item) -> Key,
        _ problems: inout [InvalidContainer.Problem],
        problem: ([Item]) -> InvalidContainer.Problem
    ) -> [Item] {
        let all = Dictionary(grouping: items, by: key)
        var seen: Set<Key> = []
        let unique = items.filter { seen.insert(key($0)).inserted }
        problems += unique.compactMap { all[key($0)] }.filter { $0.count > 1 }.map(problem)
        return unique
    }

    /// Returns the items after replacement.
    ///
    /// The last replacement of a key applies. A replacement of a missing item is a problem.
    private static func replace<Item, Key: Hashable>(
        _ items: [Item],
        with replacements: [Item],
        by key: (Item) -> Key,
        _ problems: inout [InvalidContainer.Problem],
        named name: (Item) -> (String, SourceLocation)
    ) -> [Item] {
        var items = items
        var indices = Dictionary(uniqueKeysWithValues: items.enumerated().map { (key($1), $0) })
        for replacement in replacements {
            if let index = indices[key(replacement)] {
                items[index] = replacement
            } else {
                let (name, location) = name(replacement)
                problems.append(.nothingToReplace(name: name, location: "\(location)"))
                indices[key(replacement)] = items.count
                items.append(replacement)
            }
        }
        return items
    }
}
