import Duet

/// What a container is made of: everything that was registered, checked.
struct Blueprint: Sendable {
    /// What it was made of.
    let draft: Draft
    /// One for each key, in the order of registration.
    let registrations: [Registration]
    let handlers: [HandlerDraft]
    let middleware: [any Middleware]
    /// What each registration needs.
    let links: DependencyLinks

    /// - Throws: ``InvalidContainer`` with everything that is wrong.
    init(_ draft: Draft) throws {
        var problems: [InvalidContainer.Problem] = []
        let handlers = Self.replace(
            Self.unique(draft.handlers, &problems),
            with: draft.replacedHandlers,
            by: \.message,
            &problems
        ) { ($0.messageName, $0.location) }
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
        registrations += Self.dispatchers(of: draft, besides: registered)
        registrations = Self.replace(
            Self.unique(registrations, &problems),
            with: draft.replacements,
            by: \.key,
            &problems
        ) { ($0.key.shortName, $0.location) }

        links = DependencyLinks(registrations)
        problems += links.problems()
        guard problems.isEmpty else { throw InvalidContainer(problems: problems) }
        self.draft = draft
        self.registrations = registrations
        self.handlers = handlers
        middleware = draft.middleware
    }

    /// The standard dispatcher if it was asked for, and its two halves if nobody registered them.
    private static func dispatchers(of draft: Draft, besides registered: Set<DependencyKey>) -> [Registration] {
        let whole = DependencyKey((any CommandQueryDispatcher).self)
        guard let location = draft.dispatcher ?? draft.registrations.first(where: { $0.key == whole })?.location else {
            return []
        }
        let commands = FactoryMaker { (dispatcher: any CommandQueryDispatcher) -> any CommandDispatcher in dispatcher }
        let queries = FactoryMaker { (dispatcher: any CommandQueryDispatcher) -> any QueryDispatcher in dispatcher }
        let halves = [
            Registration(transient: commands, DependencyKey((any CommandDispatcher).self), location),
            Registration(transient: queries, DependencyKey((any QueryDispatcher).self), location),
        ]
        return (draft.dispatcher == nil ? [] : [Registration(dispatcherAt: location)])
            + halves.filter { !registered.contains($0.key) }
    }

    private static func unique(
        _ handlers: [HandlerDraft],
        _ problems: inout [InvalidContainer.Problem]
    ) -> [HandlerDraft] {
        unique(handlers, by: \.message, &problems) { rivals in
            .duplicateHandler(
                message: rivals[0].messageName,
                handlers: rivals.map(\.handler.shortName),
                locations: rivals.map { "\($0.location)" }
            )
        }
    }

    private static func unique(
        _ registrations: [Registration],
        _ problems: inout [InvalidContainer.Problem]
    ) -> [Registration] {
        unique(registrations, by: \.key, &problems) { rivals in
            .duplicate(name: rivals[0].key.shortName, locations: rivals.map { "\($0.location)" })
        }
    }

    /// The first for each key; that there are others is a problem.
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

    /// The items, each with the last replacement that there is for its key; that there is nothing to replace is a problem.
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
