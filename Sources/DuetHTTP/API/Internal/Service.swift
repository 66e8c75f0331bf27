import Duet
import HTTPTypes

/// Handles the requests for one message type.
struct Service<Message: HTTPMessage>: Sendable {
    let coder: MessageCoder<Message>
    let gate: Gate<Message>
    let problems: DeclaredProblems

    /// Dispatches the message and returns the response.
    let perform:
        @Sendable @concurrent (_ message: Message, _ dispatcher: any CommandQueryDispatcher) async throws -> HTTPAnswer

    @concurrent
    func answer(_ request: ReceivedMessage, _ dispatcher: any CommandQueryDispatcher) async throws -> HTTPAnswer {
        if let refusal = gate.refusal() { return refusal }
        let message: Message
        do {
            message = try coder.decode(request)
        } catch let error as HTTPMessageError {
            guard let answer = HTTPAnswer(error) else { throw error }
            return answer
        } catch let error where !(error is CancellationError) {
            // The message's type rejected the request, with a description that may not be meant for clients.
            return try problems.answer(for: error)
                ?? HTTPAnswer(.badRequest, "This is not a request that can be taken; a value in it is not valid.")
        }
        do {
            if let refusal = try await gate.refusal(of: message) { return refusal }
            if let refusal = try refusal(of: message) { return refusal }
            return try await perform(message, dispatcher)
        } catch DispatchError.timedOut {
            return .timedOut
        } catch {
            guard let answer = try problems.answer(for: error) else { throw error }
            return answer
        }
    }

    /// The response to a message that fails its own validation.
    private func refusal(of message: Message) throws -> HTTPAnswer? {
        do {
            try (message as? any Validatable)?.validate()
            return nil
        } catch {
            return try problems.answer(for: error) ?? HTTPAnswer(.unprocessableContent, "\(error)")
        }
    }
}
