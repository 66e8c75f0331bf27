#if Cluster

    import Duet
    import DuetCluster
    import DuetClusterEngine
    import DuetContext
    import DuetContracts
    import DuetTesting
    import Foundation
    import Synchronization

    extension ClusterDispatchSubject {
        func keepsTheOrder() async throws {
            shop.state.withLock { $0.failures = [ShelfFull(), ShelfFull(), ShelfFull()] }
            try await withWorkers(3) { remote, _ in
                for count in 1...10 { try await remote.accepting.dispatch(AddStock(item: "tea", count: count)) }
                try await remote.dispatch(AddStock(item: "tea", count: 11))
            }
            let counts = shop.handled.map { $0.split(separator: " ")[1] }
            try require(counts, toBe: (1...11).map { "\($0)" }, "the commands in order")
        }

        func ignoresRepeats() async throws {
            try await withWorkers { remote, _ in
                for isAccepted in [true, false, false] {
                    try await withIdempotencyKey("order 7") {
                        let sender = isAccepted ? remote.accepting : remote
                        try await sender.dispatch(AddStock(item: "tea", count: 1))
                    }
                }
                try require(shop.handled, toBe: ["tea 1 order 7"], "the commands when the repeat returns")
            }
        }

        func retries() async throws {
            let errors: [any Error] = [
                ShelfFull(), ClusterError.behind(message: LoadStock.messageName),
                ClusterError.unreadable(message: AddStock.messageName, reason: "it came from elsewhere"),
            ]
            for error in errors {
                shop.state.withLock { $0.failures = [error] }
                try await withWorkers { remote, _ in try await remote.dispatch(AddStock(item: "tea", count: 1)) }
            }
            try require(shop.handled.count, toBe: errors.count, "the number of commands")
        }

        func handsOverLastAttempts() async throws {
            var options = options
            options.attempts = 1
            options.shutdownTimeout = .zero
            let (sender, one, two) = (try await engine(), try await engine(), try await engine())
            let first = try ClusterWorker(Shop.messages, try shop.dispatcher(), on: one, options: options)
            let second = try ClusterWorker(Shop.messages, try shop.dispatcher(), on: two, options: options)
            let shutdown = Task { try await first.run() }
            let remote = try ClusterDispatcher(Shop.messages, on: sender, options: options)
            let command = Task { try await remote.dispatch(AddStock(item: "slow", count: 1)) }
            await shop.gate.arrivals(1)
            shutdown.cancel()
            try await shutdown.value
            try require(shop.handled.count, toBe: 0, "the number of commands that were handled before")
            shop.gate.open()
            try await running([{ try await second.run() }]) { try await command.value }
            try require(shop.handled.count, toBe: 1, "the number of commands that were handled")
            try require(try await deadLetters(sender), toBe: [], "the dead letters")
        }

        func buriesFailures() async throws {
            try await withWorkers { remote, engine in
                let reason = "its handler threw \(qualifiedName(of: ShelfFull.self))"
                let error = ClusterError.failed(message: BreakShelf.messageName, reason: reason)
                try await expect(error, from: "a command") { try await remote.dispatch(BreakShelf(item: "tea")) }
                try await remote.dispatch(AddStock(item: "tea", count: 1))
                let letters = try await deadLetters(engine)
                try require(letters.map(\.command.message), toBe: [BreakShelf.messageName], "dead letters")
                try require(letters.map(\.reason), toBe: ["ShelfFull()"], "their reasons")
                try require(letters.map(\.attempts), toBe: [4], "their attempts")
            }
        }

        /// Returns the dead letter of the only command that became one.
        private func deadLetter(_ engine: any ClusterEngine) async throws -> DeadLetter {
            try await eventually("there is a dead letter") {
                try await deadLetters(engine).count == 1 ? nil : "there are \(try await deadLetters(engine))"
            }
            return try await deadLetters(engine)[0]
        }

        private func addTea(to remote: ClusterDispatcher) async throws {
            try await withIdempotencyKey("order 7") { try await remote.dispatch(AddStock(item: "tea", count: 1)) }
        }

        func keepsFailures() async throws {
            let engine = try await engine()
            let remote = try ClusterDispatcher(Shop.messages, on: engine, options: options)
            let thrown = ClusterError.failed(
                message: AddStock.messageName,
                reason: "its handler threw \(qualifiedName(of: ShelfFull.self))"
            )
            shop.state.withLock { $0.failures = Array(repeating: ShelfFull(), count: options.attempts) }
            try await withWorkers { _, _ in
                try await expect(thrown, from: "the command") { try await addTea(to: remote) }
                try await engine.commands.deadLetters.drop(try await deadLetter(engine).id)
            }
            try await expect(thrown, from: "the repeat") { try await addTea(to: remote) }
            // The log makes a dead letter of this one by itself.
            let water = { @Sendable (remote: ClusterDispatcher) in
                try await withIdempotencyKey("order 8") {
                    try await remote.dispatch(AddStock(item: "water", count: 1))
                }
            }
            try await water(remote.accepting)
            let processing = try await engine.commands.process(ProcessingOptions(attempts: 1)) { _ in
                .retry(after: .zero, reason: "again")
            }
            let letter = try await deadLetter(engine)
            let dead = ClusterError.failed(
                message: AddStock.messageName,
                reason: "it became a dead letter, which says why"
            )
            try await expect(dead, from: "the repeat") { try await water(remote) }
            try await engine.commands.deadLetters.drop(letter.id)
            try await expect(dead, from: "the repeat of the dropped one") { try await water(remote) }
            await processing.stop()
        }

        func followsRetries() async throws {
            let reason = "its handler threw \(qualifiedName(of: ShelfFull.self))"
            let error = ClusterError.failed(message: AddStock.messageName, reason: reason)
            let failures = Array(repeating: ShelfFull(), count: options.attempts)
            try await withWorkers { remote, engine in
                shop.state.withLock { $0.failures = failures }
                try await expect(error, from: "the command") { try await addTea(to: remote) }
                shop.state.withLock { $0.failures = failures }
                try await engine.commands.deadLetters.retry(try await deadLetter(engine).id, body: nil)
                try await expect(error, from: "the repeat of the first retry") { try await addTea(to: remote) }
                try require(shop.state.withLock { $0.failures.count }, toBe: 0, "the failures that are left")
                try await engine.commands.deadLetters.retry(try await deadLetter(engine).id, body: nil)
                try await addTea(to: remote)
                try require(shop.handled, toBe: ["tea 1 order 7"], "the commands when the last repeat returns")
            }
        }

        func buriesUnreadable() async throws {
            let body = Data(#"{"item":"tea","count":1}"#.utf8)
            let envelopes = [
                Envelope(body: Data("{".utf8)), Envelope(headers: ["Duet-Version": "2"], body: body),
                Envelope(headers: ["Duet-Principal": "?"], body: body),
            ]
            try await withWorkers { remote, engine in
                for (number, envelope) in envelopes.enumerated() {
                    _ = try await engine.commands.append(
                        LoggedCommand(id: "\(number)", key: "tea", message: AddStock.messageName, envelope: envelope)
                    )
                }
                try await remote.dispatch(AddStock(item: "tea", count: 2))
                let letters = try await deadLetters(engine)
                try require(letters.map(\.attempts), toBe: [1, 1, 1], "the attempts")
                let prefix = "\(AddStock.messageName) cannot be read: "
                let reasons = letters.map { $0.reason.hasPrefix(prefix) ? prefix : $0.reason }
                try require(reasons, toBe: [prefix, prefix, prefix], "the reasons")
                try require(shop.handled.count, toBe: 1, "the number of commands that were handled")
            }
        }

        func buriesUnlisted() async throws {
            let reason = "this node does not list \(CloseShop.messageName)"
            try await withWorkers { remote, engine in
                let error = ClusterError.failed(message: CloseShop.messageName, reason: reason)
                try await expect(error, from: "the command") { try await remote.dispatch(CloseShop()) }
                try await eventually("the command is a dead letter") {
                    let letters = try await deadLetters(engine)
                    return letters.map(\.reason) == [reason] ? nil : "the dead letters are \(letters)"
                }
            }
        }

        /// A list of an earlier version, without `AddStock`.
        private static let earlier = MessageAPI("open", authorized: .open) { BreakShelf.ordered(by: \.item) }

        private func worker(
            _ messages: MessageAPI,
            _ options: ClusterOptions,
            clock: any Clock<Duration> = ContinuousClock()
        ) async throws -> Service {
            let engine = try await engine()
            let worker = try ClusterWorker(messages, try shop.dispatcher(), on: engine, options: options, clock: clock)
            return { try await worker.run() }
        }

        func findsListingNode() async throws {
            var options = options
            options.handlingDelays = RetryPolicy(backoff: .constant(.seconds(3_600)), jitter: false)
            let later = try await worker(Shop.messages, options)
            let workers = [try await worker(Self.earlier, options), try await worker(Self.earlier, options), later]
            let remote = try ClusterDispatcher(Shop.messages, on: try await engine(), options: options)
            try await running(workers) {
                // The node that lists it has started.
                _ = try await remote.dispatch(LoadStock(item: "tea"))
                try await Self.waitUntilListed(on: try await engine())
                for _ in 1...20 { try await remote.dispatch(AddStock(item: "tea", count: 1)) }
            }
            try require(shop.handled.count, toBe: 20, "the number of commands that were handled")
        }

        private static func waitUntilListed(on engine: any ClusterEngine) async throws {
            try await eventually("a node lists the command") {
                do {
                    let route = UnlistedCommands.route(of: AddStock.messageName)
                    _ = try await engine.queries.ask(route, Envelope(), timeout: .seconds(3_600))
                    return nil
                } catch {
                    return "\(error)"
                }
            }
        }

        func waitsOnce() async throws {
            let clock = ManualClock()
            let engine = try await engine()
            let remote = try ClusterDispatcher(Shop.messages, on: engine, options: options).accepting
            try await running([try await worker(Self.earlier, options, clock: clock)]) {
                try await remote.dispatch(AddStock(item: "tea", count: 1))
                try await eventually("the first command has waited long enough") {
                    clock.advance(by: .milliseconds(5))
                    return try await deadLetters(engine).isEmpty ? "it waits" : nil
                }
                let end = clock.now.offset
                try require(end >= .milliseconds(500), toBe: true, "it waits for a hundred delays")
                // The clock stands still.
                for count in 2...5 { try await remote.dispatch(AddStock(item: "tea", count: count)) }
                try await eventually("the others are dead letters") {
                    let count = try await deadLetters(engine).count
                    return count == 5 ? nil : "there are \(count)"
                }
                try await running([try await worker(Shop.messages, options)]) {
                    try await Self.waitUntilListed(on: engine)
                    try await remote.dispatch(AddStock(item: "tea", count: 6))
                    try await eventually("the new node handles the next one") {
                        shop.handled.count == 1 ? nil : "\(try await deadLetters(engine).count) are dead letters"
                    }
                }
            }
        }

        func readsWrites() async throws {
            let token = WriteToken()
            let stock = try await withWorkers(2) { remote, _ in
                try await withWriteToken(token) {
                    for _ in 1...20 { try await remote.accepting.dispatch(AddStock(item: "tea", count: 1)) }
                    return try await remote.dispatch(LoadStock(item: "tea"))
                }
            }
            try require(stock, toBe: 20, "the value of the query")
            try require(WriteToken(text: token.text)?.text, toBe: token.text, "the copy of the token")
            try require(token.text.isEmpty, toBe: false, "the token is empty")
        }

        func reportsLateNodes() async throws {
            let clock = ManualClock()
            let (sender, node) = (try await engine(), try await engine())
            // No worker handles the command.
            let queries = MessageAPI("open", authorized: .open) { LoadStock.self }
            let worker = try ClusterWorker(queries, try shop.dispatcher(), on: node, options: options, clock: clock)
            try await running([{ try await worker.run() }]) {
                let remote = try ClusterDispatcher(Shop.messages, on: sender, options: options)
                let token = WriteToken()
                try await withWriteToken(token) {
                    try await remote.accepting.dispatch(AddStock(item: "tea", count: 1))
                }
                let stock = Task {
                    try await withWriteToken(token) { try await remote.dispatch(LoadStock(item: "tea")) }
                }
                await clock.nextSleeper()
                clock.advance(by: options.attemptTimeout)
                try await expect(ClusterError.behind(message: LoadStock.messageName), from: "the query") {
                    _ = try await stock.value
                }
            }
        }

        func refusesLaterPositions() async throws {
            try await withWorkers(clock: ManualClock()) { remote, engine in
                // The sequences of some engines are those of all partitions together.
                for number in 0..<10 { try await remote.dispatch(AddStock(item: "\(number)", count: 1)) }
                var tokens = ["0-999999", "0-\(UInt64.max)", "1-0.0-\(UInt64.max)"]
                for partition in 0..<engine.commands.partitionCount {
                    let last = try await engine.commands.lastPosition(in: partition)
                    tokens.append("\(partition)-\(last.sequence + 1)")
                }
                for token in tokens {
                    try await expect(ClusterError.behind(message: LoadStock.messageName), from: "the query") {
                        try await withWriteToken(WriteToken(text: token)) {
                            _ = try await remote.dispatch(LoadStock(item: "tea"))
                        }
                    }
                }
            }
        }
    }

#endif
