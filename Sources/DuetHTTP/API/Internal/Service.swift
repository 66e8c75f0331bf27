import Duet
import HTTPTypes

/// What a server does with a request for a message of one type.
struct Service<Message: HTTPMessage>: Sendable {
    let coder: MessageCoder<Message>
    let gate: Gate<Message>
    let problems: DeclaredProblems

    /// Has the message handled and answers with what comes of it.
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
            // The message's type refused what was sent, in words that may not be meant for a sender.
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

    /// What is answered to a message that says of itself that it is not valid.
    private func refusal(of message: Message) throws -> HTTPAnswer? {
        do {
            try (message as? any Validatable)?.validate()
            return nil
        } catch {
            return try problems.answer(for: error) ?? HTTPAnswer(.unprocessableContent, "\(error)")
        }
    }
}
