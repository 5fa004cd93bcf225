/* Starts and exits. */
int main(void)
{
    return 0;
}
