import HTTPTypes
import Synchronization

final class OpenStreams: Sendable {
    /// The place of one live query, which is free again when this is released.
    final class Place: Sendable {
        private let client: ServedClient
        private let streams: OpenStreams

        fileprivate init(_ client: ServedClient, _ streams: OpenStreams) {
            self.client = client
            self.streams = streams
        }

        deinit { streams.leave(client) }
    }

    private struct State {
        var count = 0
        var clients: [ServedClient: Int] = [:]
    }

    private let state = Mutex(State())
    private let options: LiveOptions

    init(_ options: LiveOptions) {
        self.options = options
    }

    /// Takes a place for a live query of a client.
    func enter(_ client: ServedClient) throws(ServedResponse) -> Place {
        let refusal: ServedResponse? = state.withLock { state in
            if state.clients[client, default: 0] >= options.streamsPerClient {
                let detail = "You observe too many values. Stop observing another one first."
                return ServedResponse(.tooManyRequests, detail)
            }
            guard state.count < options.streams else {
                let detail = "Too many values are observed at the moment. Try again later."
                return ServedResponse(.serviceUnavailable, detail)
            }
            state.count += 1
            state.clients[client, default: 0] += 1
            return nil
        }
        if let refusal { throw refusal }
        return Place(client, self)
    }

    private func leave(_ client: ServedClient) {
        state.withLock { state in
            state.count -= 1
            let count = state.clients[client, default: 0] - 1
            state.clients[client] = count > 0 ? count : nil
        }
    }
}
