import com.projectintegration.client.ApiClient;
import com.projectintegration.client.ApiException;
import com.projectintegration.client.api.EventsApi;
import com.projectintegration.client.api.FilesApi;
import com.projectintegration.client.api.IdentityApi;
import com.projectintegration.client.auth.HttpBearerAuth;
import com.projectintegration.client.model.CreateUploadGrantRequest;
import com.projectintegration.client.model.FileContentType;
import com.projectintegration.client.model.PublishDomainEventRequest;
import com.projectintegration.client.model.UnprocessableError;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.UUID;

public class Program {
  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient().setBasePath(System.getenv("BASE_URL") + "/api/v1");
    ((HttpBearerAuth) client.getAuthentication("projectCredential")).setBearerToken(System.getenv("PROJECT_CREDENTIAL"));

    // Read the Project Client.
    System.out.println("client " + new IdentityApi(client).identityGetProjectClient(null).getData().getName());

    // Publish the same event twice under one key: it must be stored once.
    EventsApi events = new EventsApi(client);
    PublishDomainEventRequest event =
        new PublishDomainEventRequest().type("order.shipped").schemaVersion(1).data(Map.of("order_number", "A-1042"));
    String key = UUID.randomUUID().toString();
    UUID first = events.eventsPublishDomainEvent(key, event, null).getData().getId();
    UUID second = events.eventsPublishDomainEvent(key, event, null).getData().getId();
    if (!first.equals(second)) throw new IllegalStateException("published twice");
    System.out.println("event " + first);

    // Upload a file.
    FilesApi files = new FilesApi(client);
    byte[] bytes = "Hello from openapi-generator.\n".getBytes();
    Path file = Files.write(Files.createTempFile("upload", ".txt"), bytes);
    String digest = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    CreateUploadGrantRequest grant =
        new CreateUploadGrantRequest()
            .expectedSha256(digest)
            .expectedContentType(FileContentType.TEXT_PLAIN)
            .maximumBytes(bytes.length);
    String token = files.filesCreateUploadGrant(UUID.randomUUID().toString(), grant, null).getData().getUploadToken();
    System.out.println("file " + files.filesUploadFile(token, file.toFile()).getData().getFileObjectId());

    // Read a typed 422.
    try {
      events.eventsPublishDomainEvent(UUID.randomUUID().toString(), event.type("Not a name"), null);
      throw new IllegalStateException("not refused");
    } catch (ApiException refused) {
      UnprocessableError error = UnprocessableError.fromJson(refused.getResponseBody());
      String path = error.getError().getDetails().getViolations().get(0).getPath();
      System.out.println("refused " + error.getError().getCode() + " " + path);
    }
    System.exit(0); // the HTTP library's idle connections would keep the process for minutes
  }
}
