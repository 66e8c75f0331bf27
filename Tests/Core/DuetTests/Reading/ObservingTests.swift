import Duet
import DuetTesting
import Synchronization
import Testing

/// How the values of an observed query pass through layers.
@Suite struct ObservingTests {
    private struct ListNames: Query, Hashable {
        typealias Value = [String]
    }

    private struct CountNames: Query, Hashable {
        typealias Value = Int
    }

    private struct Broken: Error, Equatable {}

    /// Reports some states of `ListNames`, and dispatches.
    private struct Source: Dispatcher {
        let updates: [QueryUpdate<[String]>]
        let dispatched = Journal()

        func dispatch<M: Message>(_ message: M) async throws -> M.Value {
            dispatched.write(M.messageName)
            return try #require([] as [String] as? M.Value ?? 3 as? M.Value)
        }

        func isLive<Q: Query>(_ query: Q.Type) -> Bool { query is ListNames.Type }

        func updates<Q: Query>(of query: Q) -> QueryStates<Q.Value>? where Q.Value: Sendable {
            guard query is ListNames else { return nil }
            return QueryStates<[String]>(updates: { [updates] in
                var rest = updates[...]
                return { rest.popFirst() }
            }) as? QueryStates<Q.Value>
        }
    }

    private static var two: Source {
        Source(updates: [.value(["Ada"]), .failure(Broken()), .value(["Ada", "Grace"])])
    }

    private func states(_ dispatcher: some Dispatcher) async -> [QueryState<[String]>] {
        var states: [QueryState<[String]>] = []
        for await state in dispatcher.observe(ListNames()) { states.append(state) }
        return states
    }

    @Test func `each value passes through each layer, from the inside to the outside`() async {
        let source = Self.two
        let dispatcher =
            source
            .intercepting(ListNames.self) { query, next in try await next.dispatch(query).map { "\($0)!" } }
            .intercepting(ListNames.self) { query, next in try await next.dispatch(query).map { $0.uppercased() } }
            .intercepting(ListNames.self) { query, next in try await next.dispatch(query) + ["(end)"] }
        let states = await states(dispatcher)
        #expect(states.map(\.value) == [["ADA!", "(end)"], ["ADA!", "(end)"], ["ADA!", "GRACE!", "(end)"]])
        #expect(states.map { $0.error is Broken } == [false, true, false])
        #expect(source.dispatched.entries == [])
    }

    @Test func `a layer is asked once for each value and each failure`() async {
        let asked = Journal()
        let dispatcher = Self.two.intercepting(ListNames.self) { query, next in
            asked.write("\(next.isUpdate)")
            return try await next.dispatch(query)
        }
        #expect(await states(dispatcher).count == 3)
        #expect(asked.entries == ["true", "true", "true"])
    }

    @Test func `a layer may replace the error of a load, by another one or by a value for an observer without one`()
        async
    {
        let renaming = Self.two.intercepting(ListNames.self) { query, next in
            do { return try await next.dispatch(query) } catch is Broken { throw AuthorizationError.forbidden }
        }
        let renamed = await states(renaming)
        #expect(renamed.map { $0.error as? AuthorizationError } == [nil, .forbidden, nil])
        let source = Source(updates: [.failure(Broken()), .value(["Ada"]), .failure(Broken())])
        let falling = source.intercepting(ListNames.self) { query, next in
            do { return try await next.dispatch(query) } catch { return ["saved"] }
        }
        let states = await states(falling)
        #expect(states.map(\.value) == [["saved"], ["Ada"], ["Ada"]])
        #expect(states.map { $0.error is Broken } == [false, false, true])
    }

    @Test func `a layer that throws ends the observation with its error and the last value`() async throws {
        let dispatcher = Self.two.intercepting(ListNames.self) { query, next in
            let names = try await next.dispatch(query)
            guard names.count < 2 else { throw Broken() }
            return names
        }
        let states = await states(dispatcher)
        #expect(states.map(\.value) == [["Ada"], ["Ada"], ["Ada"]])
        #expect(states.last?.error is Broken)
        let refusing = Self.two.intercepting(ListNames.self) { _, _ in throw Broken() }
        #expect(await self.states(refusing).count == 1)
        await #expect(throws: Broken.self) { for try await _ in refusing.observe(ListNames()).values {} }
    }

    @Test func `a layer may send other messages for a value`() async throws {
        let source = Source(updates: [.value(["Ada"])])
        let dispatcher = source.intercepting(ListNames.self) { query, next in
            try await next.dispatch(query) + ["\(try await next.dispatch(CountNames()))"]
        }
        #expect(await states(dispatcher).map(\.value) == [["Ada", "3"]])
        #expect(source.dispatched.entries == [CountNames.messageName])
    }

    @Test func `retry, timeout and validation forward values, and a log tells them from dispatches`() async throws {
        let log = Mutex<[Bool]>([])
        let dispatcher = Self.two
            .retrying(RetryPolicy(maximumAttempts: 3), clock: ManualClock())
            .timeout(.seconds(1), clock: ManualClock())
            .validating()
            .logging { event in log.withLock { $0.append(event.isUpdate) } }
        #expect(await states(dispatcher).count == 3)
        _ = try await dispatcher.dispatch(CountNames())
        #expect(log.withLock(\.self) == [true, true, true, false])
    }

    @Test func `a rule decides about each value`() async throws {
        let isOpen = Mutex(true)
        let api = MessageAPI("names") {
            ListNames.authorized(.when { _, _ in isOpen.withLock(\.self) })
        }
        let door = Self.two.authorizing(api)
        var states = await withPrincipal(Principal(id: "ada")) { door.observe(ListNames()).makeAsyncIterator() }
        #expect(await states.next()?.value == ["Ada"])
        #expect(await states.next()?.error is Broken)
        isOpen.withLock { $0 = false }
        let last = await states.next()
        #expect(last?.error as? AuthorizationError == .forbidden && last?.value == ["Ada"])
        #expect(await states.next() == nil)
    }

    @Test func `a query that no layer reports has one state, whose error says what is missing`() async throws {
        var states = Self.two.validating().observe(CountNames()).makeAsyncIterator()
        let state = try #require(await states.next())
        #expect(state.error as? UnobservableQuery == UnobservableQuery(CountNames.self))
        #expect("\(try #require(state.error))".contains("Add Cache(CountNames.self, …) to a cache"))
        #expect(await states.next() == nil)
    }

    // MARK: States

    @Test func `values leave out what is equal, and failures after the first value`() async throws {
        let source = Source(updates: [.value(["Ada"]), .value(["Ada"]), .failure(Broken()), .unchanged, .value([])])
        var values: [[String]] = []
        for try await value in source.observe(ListNames()).values { values.append(value) }
        #expect(values == [["Ada"], []])
        let failing = Source(updates: [.failure(Broken()), .value(["Ada"])])
        await #expect(throws: Broken.self) { for try await _ in failing.observe(ListNames()).values {} }
        let ending = Source(updates: [.value(["Ada"]), .failure(Broken())])
        var first = ending.observe(ListNames()).values.makeAsyncIterator()
        #expect(try await first.next() == ["Ada"])
        await #expect(throws: Broken.self) { try await first.next() }
        #expect(try await first.next() == nil)
    }

    @Test func `a value that cannot be converted is a failure, which the next value ends`() async {
        let counts = Self.two.observe(ListNames()).map { names -> Int in
            guard names.count > 1 else { throw Broken() }
            return names.count
        }
        var states: [QueryState<Int>] = []
        for await state in counts { states.append(state) }
        #expect(states.map(\.value) == [nil, nil, 2])
        #expect(states.map { $0.error is Broken } == [true, true, false])
    }

    @Test func `changes become states, and states become the same changes`() async throws {
        let source = Source(updates: [
            .failure(Broken()), .failure(Broken()), .value([]), .failure(Broken()), .unchanged,
        ])
        var changes = QueryUpdates(source.observe(ListNames()))
        var texts: [String] = []
        while let change = await changes.next() {
            switch change {
            case .value(let value): texts.append("\(value)")
            case .unchanged: texts.append("unchanged")
            case .confirmed: texts.append("confirmed")
            case .failure(let error): texts.append(error is Broken ? "broken" : "\(error)")
            }
        }
        #expect(texts == ["broken", "[]", "broken", "unchanged"])
    }

    @Test func `errors are converted`() async {
        let states = Self.two.observe(ListNames()).mapErrors { _ in AuthorizationError.forbidden }
        var errors: [AuthorizationError?] = []
        for await state in states { errors.append(state.error as? AuthorizationError) }
        #expect(errors == [nil, .forbidden, nil])
    }

    @Test func `without a cache, a read is a dispatch, which returns a loaded value`() async throws {
        let dispatcher = Self.two.intercepting(CountNames.self) { query, next in try await next.dispatch(query) + 1 }
        for mode in [ReadMode.cacheFirst, .fresh, .freshOrStale] {
            let result = try await dispatcher.read(CountNames(), mode)
            #expect(result.value == 4 && result.origin == .loaded && !result.isStale && result.error == nil)
        }
        await #expect(throws: NotCached(query: CountNames.messageName)) {
            try await dispatcher.read(CountNames(), .cacheOnly)
        }
    }
}
