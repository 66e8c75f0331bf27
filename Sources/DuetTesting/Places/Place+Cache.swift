#if Caching || HTTP

    import Duet
    public import DuetCaching

    extension Place {
        /// A cache in front of the dispatcher.
        ///
        /// Each query is dispatched twice, so that its cached value is compared, too. Before a command, the queries of
        /// all examples are dispatched. If the command changes the value of a cached one, and no rule invalidates it,
        /// that is a finding with the rule to write.
        ///
        /// - Parameter makeCache: Returns a new cache with its rules, for each example.
        public static func cache(_ makeCache: @escaping @Sendable () throws -> QueryCache) -> Place {
            Place(.cache) { visit, dispatcher in
                let cached = dispatcher.caching(with: try makeCache())
                var findings: [Finding] = []
                var uncovered: [UncoveredChange] = []
                for (index, step) in visit.example.steps.enumerated() {
                    var outcomes: [Outcome] = []
                    if let command = step.command {
                        await visit.suite.fill(cached)
                        do {
                            uncovered += try await cached.uncoveredChanges(after: command)
                            outcomes = [.value(())]
                        } catch {
                            outcomes = [.failure(error)]
                        }
                    } else {
                        outcomes = [await step.perform(cached), await step.perform(cached)]
                    }
                    let change = uncovered.first { $0.query == step.reflection }
                    let finding = outcomes.lazy
                        .compactMap { visit.finding(index, $0) { _ in change?.description } }.first
                    guard let finding else { continue }
                    findings.append(finding)
                    uncovered.removeAll { $0 == change }
                }
                return findings + uncovered.map { Finding(visit, uncovered: $0.description) }
            }
        }
    }

    extension MessageSuite {
        /// Caches the values of all queries.
        fileprivate func fill(_ cached: CachingDispatcher) async {
            for step in examples.flatMap(\.steps) where step.command == nil { _ = await step.perform(cached) }
        }
    }

#endif
