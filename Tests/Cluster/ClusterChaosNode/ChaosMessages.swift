#if NATS
    package import Duet
    import TestSupport

    /// Appends a number to those of a key.
    package struct AppendNumber: Command, Codable, Hashable {
        /// What happens to the process that handles a command for the first time.
        package enum Fault: String, Codable, CaseIterable, Sendable {
            case none
            /// It kills itself before, in, or after the transaction.
            case before, inside, after
            /// It waits until a test kills it.
            case waiting
            /// It kills itself, and so does every later one.
            case always
        }

        package static let messageName = "Chaos.AppendNumber"

        package let key: Int
        package let number: Int
        package let fault: Fault

        package init(key: Int, number: Int, fault: Fault = .none) {
            self.key = key
            self.number = number
            self.fault = fault
        }
    }

    /// Loads the count of the numbers of a key.
    package struct CountNumbers: Query, Codable, Hashable {
        package struct Value: Codable, Hashable, Sendable {
            package let key: Int
            package let count: Int
        }

        package static let messageName = "Chaos.CountNumbers"

        package let key: Int

        package init(key: Int) { self.key = key }
    }

    package enum ChaosMessages {
        package static let all = MessageAPI.open {
            AppendNumber.ordered(by: \.key)
            CountNumbers.self
        }
    }
#endif
